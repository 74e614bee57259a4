/*
combgpu.h - exact combinatorial search on CPU, CUDA and OpenCL. Version 0.2.0, MIT licence.

    magic squares | no-three-in-line | permutations | travelling salesman

CONTENTS (search for "SECTION n")
    SECTION  0  how to use this file, step by step                      documentation
    SECTION  1  common: status, context, devices, runs, jobs            public API
    SECTION  2  magic squares                                           public API
    SECTION  3  no-three-in-line                                        public API
    SECTION  4  permutations                                            public API
    SECTION  5  travelling salesman                                     public API
    SECTION 10  implementation: memory, messages, hashing, time         private
    SECTION 11  the engine: tasks, slices, stop, shards, checkpoints    private
    SECTION 12  the backends: CPU here; CUDA and OpenCL in the sidecars private
    SECTION 20  magic squares                                           private
    SECTION 21  magic squares, normal forms, estimates and order 6      private
    SECTION 30  no-three-in-line                                        private
    SECTION 40  permutations: ranks, and writing them on the CPU        private
    SECTION 41  families of permutations                                private
    SECTION 42  ranges of permutations: written or visited              private
    SECTION 50  travelling salesman                                     private
    SECTION 51  travelling salesman: branch and bound                   private
    SECTION 52  travelling salesman: batches                            private
    SECTION 60  self-test

SECTION 0: HOW TO USE THIS FILE

1. In exactly one C or C++ file of your program:

        #define COMBGPU_IMPLEMENTATION
        #include "combgpu.h"

   In all others include it without the define. C99 or C++11 and later; only the C library is needed.
   With OpenMP (-fopenmp) the CPU backend uses all cores; without it, one. Options, defined before
   that include:

        COMBGPU_CUDA        adds the CUDA backend; compile with nvcc -x cu (combgpu_cuda.cu and
                            combgpu_kernels.cl must lie beside this file)
        COMBGPU_OPENCL      adds the OpenCL 1.2 backend; link with -lOpenCL (combgpu_cl.c must lie
                            beside this file; the kernel text is embedded in it)
        COMBGPU_STATIC      makes every function static: each file may have a private copy
        COMBGPU_NO_STDIO    no files: checkpoints in memory only

2. Open a context, solve, close:

        combgpu_context *ctx;
        combgpu_context_desc desc = {0};            // zero is the default everywhere: best backend
        if (combgpu_open(&ctx, &desc) != COMBGPU_OK) puts(combgpu_message(ctx));

        combgpu_magic_desc magic = {0};
        combgpu_magic_result result;
        magic.order = 4;
        if (combgpu_magic(ctx, &magic, &result) == COMBGPU_OK)
            printf("%llu squares\n", (unsigned long long)result.count);     // 7040

        combgpu_close(ctx);

   combgpu_no3, combgpu_perm and combgpu_tsp have the same form.

3. Every call returns a combgpu_status. Negative: it failed, and combgpu_message(ctx) says why in a
   sentence that names the argument, its value and what it may be. COMBGPU_OK: the search is complete
   and its answer exact. COMBGPU_FOUND: it ended early because the caller's limit was reached.
   COMBGPU_STOPPED: a callback or the time limit ended it; the result holds what is known so far.

4. A long run: set run.progress, run.time_limit_s, run.checkpoint_path, run.shard_index and
   run.shard_count in the description (combgpu_run_desc below); run.self_test and run.verify against
   devices that compute wrong results. Several devices: combgpu_context_desc.devices.
   combgpu_job_estimate says how long a begun job will take, with the error.

5. A program with a loop of its own uses the step-wise form; a step takes about 50 ms:

        combgpu_job *job;
        if (combgpu_magic_begin(ctx, &magic, &job) == COMBGPU_OK) {
            while (combgpu_step(job) == COMBGPU_RUNNING) { ... draw a frame ... }
            combgpu_magic_end(job, &result);
        }

WHAT IS EXACT: counts, checksums, steps and optima are equal on every backend, thread count, shard
split and after every stop and resume; only the steps of branch and bound depend on the threads. The
order in which solutions reach a callback is unspecified.

THREADS: a context and its jobs belong to one thread at a time; different contexts are independent.
There is no global state. The library never prints and never exits.

WHAT IT DOES NOT DO: heuristics without proof, approximate counts without a standard error, graph or
SAT problems, Windows services. Limits of each search are stated at its description. */

/* strict -std=c99 hides clock_gettime and fsync unless this is asked for before a system header */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#ifndef COMBGPU_H
#define COMBGPU_H

#include <stddef.h>
#include <stdint.h>

/* ======================================================================== SECTION 1: common == */

#define COMBGPU_VERSION_MAJOR 0
#define COMBGPU_VERSION_MINOR 2
#define COMBGPU_VERSION_PATCH 0
#define COMBGPU_VERSION_STRING "0.2.0"

#ifdef COMBGPU_STATIC
#ifdef __GNUC__
#define COMBGPU_API static __attribute__((unused))
#else
#define COMBGPU_API static
#endif
#else
#define COMBGPU_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call ended with. Negative values are failures; the numbers are stable. */
typedef enum combgpu_status {
    COMBGPU_OK = 0,      /* complete: the answer is exact and final */
    COMBGPU_FOUND = 1,   /* ended early: as many solutions as the caller asked for were found */
    COMBGPU_STOPPED = 2, /* ended early: a callback returned nonzero, or the time limit passed */
    COMBGPU_RUNNING = 3, /* combgpu_step: there is more to do */
    COMBGPU_INVALID_ARGUMENT = -1, /* the message names the argument, its value, what it may be */
    COMBGPU_OUT_OF_MEMORY = -2,    /* host memory */
    COMBGPU_DEVICE_OUT_OF_MEMORY = -3,
    COMBGPU_NO_DEVICE = -4, /* no such backend in this build, or no such device in this machine */
    COMBGPU_DEVICE_ERROR = -5, /* the driver reported an error; the context should be closed */
    COMBGPU_FILE_ERROR = -6,   /* a file cannot be opened, read or written */
    COMBGPU_BAD_FILE = -7,     /* a file's contents are wrong; the message gives line and reason */
    COMBGPU_WRONG_JOB = -8,    /* a checkpoint belongs to a job with other parameters */
    COMBGPU_UNSUPPORTED = -9,  /* a valid request beyond what this version does; the message says */
    COMBGPU_WRONG_RESULT = -10 /* self-test: the device computed a wrong answer */
} combgpu_status;

typedef enum combgpu_backend {
    COMBGPU_BACKEND_AUTO = 0, /* CUDA if there is a device, else an OpenCL GPU, else the CPU */
    COMBGPU_BACKEND_CPU = 1,
    COMBGPU_BACKEND_CUDA = 2,
    COMBGPU_BACKEND_OPENCL = 3
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
    char capability[64];   /* "sm_90", "OpenCL 1.2 ...", "C99, OpenMP" */
} combgpu_device;

/* A device in a list of several (combgpu_context_desc.devices). */
#define COMBGPU_MAX_DEVICES 32
typedef struct combgpu_device_id {
    combgpu_backend backend; /* AUTO = combgpu_context_desc.backend */
    int index;               /* as combgpu_device.index */
} combgpu_device_id;

/* Host memory. allocate returns NULL when there is none; release gets what allocate returned. */
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
    int device;            /* index in the backend's list of devices (combgpu_devices); 0 = first */
    int threads;           /* CPU threads; 0 = as many as OpenMP offers; 1 without OpenMP */
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

/* "0.2.0", of the compiled implementation (the macro is that of the header). */
COMBGPU_API const char *combgpu_version(void);

/* The name of a status, backend: "out of memory", "cuda". Never NULL. */
COMBGPU_API const char *combgpu_status_string(combgpu_status status);
COMBGPU_API const char *combgpu_backend_string(combgpu_backend backend);

/* Lists the devices of every backend in this build, CPU first. At most `capacity` are written to
   `devices` (may be NULL if capacity is 0); *count gets the number that exist. Needs no context.
   Errors: INVALID_ARGUMENT. A backend without driver or device simply contributes none. */
COMBGPU_API combgpu_status combgpu_devices(combgpu_device *devices, int capacity, int *count);

/* Opens a context on one device. desc may be NULL for all defaults. As with sqlite3_open, *ctx is
   set even on failure where memory allows: then it serves only combgpu_message and combgpu_close.
   Errors: INVALID_ARGUMENT, NO_DEVICE, DEVICE_ERROR, OUT_OF_MEMORY (then *ctx is NULL). */
COMBGPU_API combgpu_status combgpu_open(combgpu_context **ctx, const combgpu_context_desc *desc);

/* Frees the context; NULL is allowed. Its jobs must have ended. */
COMBGPU_API void combgpu_close(combgpu_context *ctx);

/* Why the last failed call on this context failed, a sentence; "" if none failed. The text lives
   until the next call on the context. NULL ctx: "out of memory". */
COMBGPU_API const char *combgpu_message(const combgpu_context *ctx);

/* The device that the context uses. */
COMBGPU_API void combgpu_context_device(const combgpu_context *ctx, combgpu_device *device);

/* Runs a known answer through every kernel (but branch and bound's) on the context's device, in well
   under a second once the kernels are built; on each of its devices in turn. Errors: WRONG_RESULT
   with the kernel's name, and all device errors. */
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
   device: cudaMemsetAsync, clEnqueueFillBuffer, on the CPU non-temporal stores where the compiler has
   them. That is what writing can be measured by. Errors: as combgpu_device_read. */
COMBGPU_API combgpu_status combgpu_device_fill(combgpu_context *ctx,
                                               const combgpu_device_memory *memory, int value,
                                               double *seconds);

/* ---- runs: what all four searches have in common */

/* What one device did for a job. */
typedef struct combgpu_device_report {
    combgpu_backend backend;
    int index; /* as combgpu_device.index */
    int lost;  /* nonzero: it failed or hung; the others went on with its tasks */
    char name[64];
    double steps_per_s; /* lately, here; 0 = not known */
    double seconds;     /* inside kernels */
    uint64_t steps;     /* what it did, work that had to be repeated included */
    uint64_t slices;
    uint64_t tasks_left; /* in its memory */
    uint64_t verified;   /* tasks whose result a second run confirmed (run.verify) */
    uint64_t mismatches; /* wrong results, found by a second run */
    uint64_t errors;     /* of the driver; hangs */
} combgpu_device_report;

/* What is known while a job runs. */
typedef struct combgpu_progress {
    double fraction;          /* part of the search's steps that is done, 0 to 1; it never falls.
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
                                     job lives: a second one is refused with FILE_ERROR. Copied,
                                     need not persist */
    double checkpoint_interval_s; /* 0 = 60. One that fails is logged as an error and counted, and
                                     the run goes on */
    int resume;                   /* nonzero: go on from checkpoint_path if it exists. Zero: an
                                     existing file there is an error, it is never overwritten */
    const void *resume_data;      /* or go on from this copy of what combgpu_save wrote */
    size_t resume_bytes;
    const char *const
        *merge_paths; /* do not search: add up the checkpoints of all merge_count shards,
                                       in any order, each of them finished, as if this job had done
                                       the whole; shard_count must be 0. No solutions are handed
                                       out. One that is missing, unfinished, there twice or of
                                       another job is an error. Read during begin */
    int merge_count;
    /* Silent errors of a device. self_test: combgpu_self_test of every device before the search
       begins; one that fails ends it with WRONG_RESULT. verify: tasks chosen at random are computed
       twice, on their device and on another if there is one (a second time on the same one if not),
       and if that is no CPU a small part of them on the CPU too. Results that differ are logged as an
       error that names device and task, and counted; a third run, on the CPU, decides. Does not
       apply to branch and bound, Held-Karp, and permutations written out or shown in order. */
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
    int device_count; /* that had a part in it */
    combgpu_device_report devices[COMBGPU_MAX_DEVICES];
} combgpu_run_info;

/* Does one slice of work, about slice_ms long. RUNNING: call again. OK, FOUND, STOPPED: call the
   search's _end, which refuses the job of another one and leaves it as it is. Errors likewise: _end
   frees the job. A STOPPED or FOUND job may be stepped on: it continues where it was. So may one with
   FILE_ERROR (its checkpoint could not be written when it ended), and combgpu_save works for it. */
COMBGPU_API combgpu_status combgpu_step(combgpu_job *job);

/* What is known now: the same as the progress callback gets. Asked for the first time in a while, it
   can take a few milliseconds. */
COMBGPU_API combgpu_status combgpu_job_progress(combgpu_job *job, combgpu_progress *progress);

/* How to estimate; zero-initialise it. */
typedef struct combgpu_estimate_desc {
    uint64_t seed;      /* of the samples; the same seed gives the same steps and steps_error */
    int samples;        /* how often the tree is sampled, 2 to 100000; 0 = 64 */
    double calibrate_s; /* how long the job is run to see how fast the device is; 0 = 1 */
} combgpu_estimate_desc;

/* What a job will take. Of a shard, this shard alone. */
typedef struct combgpu_estimate {
    double steps;         /* expected steps of the whole job, those already done included */
    double steps_error;   /* its standard error; 0 = exact; negative = not known */
    double steps_per_s;   /* of this context's device(s), measured */
    double seconds;       /* expected time from the call on, calibration included; < 0: not known */
    double seconds_error; /* its standard error; negative = not known */
    uint64_t tasks;       /* that waited when it was called */
    int samples;          /* used; 0 = none was needed or possible */
    int done;             /* the job ended in the calibration: steps and seconds are measured */
} combgpu_estimate;

/* Estimates how long a job takes, before a long run: begin the job, call this, then step it on (the
   calibration was part of its work) or cancel it. A sample goes from a random part of the tasks
   down the tree: each task is worked for some steps, what it gives back is thinned again at random,
   and the steps are weighted by what was left out (D. E. Knuth 1975; P. C. Chen 1992); the mean over
   all trees is exact, and the samples' spread gives the error. Trees with a few very large branches
   need more samples than the default: the true value then lies above more often than below. Searches
   that know their size (permutations) give it without an error; branch and bound cannot be sampled:
   its steps come from its own fraction, with the error not known. Sampling uses the CPU's threads.
   The caller's solution and progress callbacks are called in the calibration. desc may be NULL.
   Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, STOPPED or FOUND (the job ended early), device errors. */
COMBGPU_API combgpu_status combgpu_job_estimate(combgpu_job *job, const combgpu_estimate_desc *desc,
                                                combgpu_estimate *estimate);

/* Writes a checkpoint of the job to memory: everything that run.resume_data needs, on any backend.
   *needed gets its size in bytes; nothing is written if `bytes` is less (call it with NULL, 0 to
   ask). Errors: INVALID_ARGUMENT (too small), OUT_OF_MEMORY, device errors. */
COMBGPU_API combgpu_status combgpu_save(combgpu_job *job, void *data, size_t bytes, size_t *needed);

/* Ends a job whose result is not wanted; NULL is allowed. The _end functions call it. */
COMBGPU_API void combgpu_job_cancel(combgpu_job *job);

/* ================================================================= SECTION 2: magic squares == */
/* A magic square of order n holds 1 .. n*n once each; every row, column and both diagonals add up
   to n(n*n+1)/2. Squares are arrays of n*n ints, row by row; rows and columns count from 0. Two
   squares are equal up to symmetry if one of the 8 rotations and reflections (the group D4) takes
   one to the other; the Frenicle form is the one of the 8 with the smallest corner top left and
   a[0][1] < a[1][0]. */

typedef enum combgpu_magic_kind {
    COMBGPU_MAGIC_NORMAL = 0,  /* rows, columns, both diagonals */
    COMBGPU_MAGIC_SEMI,        /* rows and columns; the diagonals may be anything */
    COMBGPU_MAGIC_PANDIAGONAL, /* normal, and all broken diagonals */
    COMBGPU_MAGIC_ASSOCIATIVE, /* normal, and cells opposite the centre add up to n*n+1 */
    COMBGPU_MAGIC_ULTRAMAGIC,  /* pandiagonal and associative */
    COMBGPU_MAGIC_BIMAGIC      /* normal, and the squares of the numbers add up alike in the same
                                  lines: to n(n*n+1)(2*n*n+1)/6 */
} combgpu_magic_kind;

/* Receives one square. Nonzero stops the run; a run that is stepped on or resumed goes on with the
   next one. */
typedef int (*combgpu_magic_fn)(const int *square, int order, void *user);

typedef struct combgpu_magic_desc {
    int order; /* 3 to 6. Order 6 ends in your lifetime only with givens (24 free cells: seconds),
                  or with limit or run.time_limit_s */
    combgpu_magic_kind kind;
    const int *givens;  /* order*order numbers, 0 = free; NULL = none. Read during begin */
    const int *numbers; /* orders 3 to 5: order*order different integers from -400,000,000 to
                                  400,000,000, in any order, instead of 1 .. n*n; NULL = those. Read
                                  during begin. Then n*n+1 above means twice their mean, and
                                  by_centre and checksum go by rank: as if the smallest were 1, the
                                  next 2 and so on. In arithmetic progression they are as fast as
                                  1 .. n*n; others are searched cell by cell: not bimagic */
    int sum;            /* with numbers: the line sum, which must be their sum / order; 0 = so */
    combgpu_magic_fn solution; /* NULL = count only: a quarter of the time for all of order 5 */
    void *solution_user;
    int frenicle;   /* solution gets: 0 = every square; 1 = one per class of squares that
                       are equal up to symmetry, in Frenicle form (givens may then lie elsewhere) */
    uint64_t limit; /* end with FOUND at this many calls of solution, or without it as soon as
                       `count` is as large; 0 = no limit */
    int checksum;   /* nonzero: run.checksum is that of the squares also where normal squares of
                       order 5 are only counted; takes longer by half on a GPU, 3 times on a CPU */
    combgpu_run_desc run;
} combgpu_magic_desc;

typedef struct combgpu_magic_result {
    uint64_t count;         /* squares, every orientation (with givens: as the givens stand) */
    uint64_t up_to_d4;      /* classes up to symmetry that have a square counted in `count` */
    uint64_t up_to_m_group; /* classes up to the M-group as well: rows and columns may change places
                               as long as both diagonals stay what they are. Orders 3 to 5, nothing
                               given but perhaps the centre; 0 else, and for pandiagonal and
                               ultramagic squares, which other images of the group are not */
    uint64_t by_centre[26]; /* up_to_d4 by the number in the centre cell; orders 3 and 5 */
    combgpu_run_info run;   /* steps: numbers tried in cells, or diagonal configurations joined.
                               checksum: sum over classes of FNV-1a-64 of the Frenicle form's bytes;
                               where squares are only counted (order 5, nothing given but perhaps
                               the centre, no callback: normal without `checksum`, and semi-magic)
                               of a hash of each part of the search and its count */
} combgpu_magic_result;

/* Counts or lists all magic squares of a kind that agree with the givens.
   Errors: INVALID_ARGUMENT (order, kind, givens that repeat a number, are out of range or already
   break a line: the message names the cells), UNSUPPORTED (order above 6), and all errors of runs.
   A depth-first search over cells; but with nothing given
      normal order 4      is put together from both diagonals: half a millisecond
      normal order 5      (also with the centre given) is counted by a join of two rings of 8 cells over
                          both diagonals, 8.2 million configurations: 12 s on one core with AVX-512
                          (VBMI2), half a minute without, 0.06 s on an H200
      semi-magic order 5  is counted, without solution, by partitions of 1..25 into 5 rows and into 5
                          columns: 4 s on one core, 0.1 s on an H200. */
COMBGPU_API combgpu_status combgpu_magic(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                         combgpu_magic_result *result);
COMBGPU_API combgpu_status combgpu_magic_begin(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                               combgpu_job **job);
/* Fills *result (may be NULL) and frees the job. Returns OK, FOUND or STOPPED, or the error that
   ended the job. */
COMBGPU_API combgpu_status combgpu_magic_end(combgpu_job *job, combgpu_magic_result *result);

/* A LIST in order, of which any part can be had: square number k of it is the same on every backend.

   Normal squares of order 5, nothing given but perhaps the centre, are ordered by
      - the centre, 26 - centre if that is less; then the numbers of the two diagonals without it,
        each as an ascending set, the sets in lexicographic order, the lesser set first
      - the way these stand on the diagonals, 36 up to the M-group: A[0] in the corner (0,0) with
        A[1], A[2], A[3] opposite; for each of these, B[i] in (0,4) and B[j] in (4,0), i < j in
        lexicographic order; for each of these, the greater of the other two in (3,1), then in (1,3)
      - the numbers in cells (0,1) (0,3) (4,1) (4,3) (1,0) (3,0) (1,4) (3,4)
      - the square before its complement; rows and columns in the orders 01234, 10243, 03214, 14203;
        and unless `frenicle` is set, the orientations (1 = transposed, 2 = rows, 4 = columns turned
        around, added up; 0 to 7).
   Only the parts of the search are run that hold the squares asked for. Where they are is counted
   once for each context, as long as a count of all takes.

   All other lists are in lexicographic order of their squares (with `frenicle` of those in Frenicle
   form), row by row; they are found by a search, and sorted in memory. So order 6, and order 5
   semi-magic, need givens that leave few completions: here run.time_limit_s ends the search, and
   nothing is handed out. */
typedef struct combgpu_magic_list_desc {
    int order; /* as in combgpu_magic_desc, these four */
    combgpu_magic_kind kind;
    const int *givens;
    int frenicle;
    uint64_t first, count; /* squares first .. first + count - 1 of the list; count 0 = all from
                              `first` on. The list may end before that */
    /* where to, one of these: */
    combgpu_magic_fn solution; /* each square in turn */
    void *solution_user;
    unsigned char *out;               /* order*order bytes a square, row by row */
    size_t out_bytes;                 /* room there; too little for all is an error */
    combgpu_device_memory device_out; /* likewise, on the device; its contents are defined up to
                                         result.count squares */
    const char *path;     /* a file, which is overwritten: the same bytes, or lines of text */
    int text;             /* of path: a row a line, an empty line behind each square */
    combgpu_run_desc run; /* no checkpoint: a list that was stopped goes on with `first` +
                             result.count. A shard is an equal part of the range. Normal squares of
                             order 5 are not verified */
} combgpu_magic_list_desc;

typedef struct combgpu_magic_list_result {
    uint64_t total;       /* squares in the whole list */
    uint64_t count;       /* squares handed out, from `first` on (of a shard: from its part on) */
    combgpu_run_info run; /* checksum: sum of FNV-1a-64 over the squares handed out; 0 for
                             device_out. device_seconds: without the count of where they are */
} combgpu_magic_list_result;

/* Hands out a range of a list. Returns OK, STOPPED (solution or run.progress returned nonzero, or the
   time limit passed), or an error: those of combgpu_magic, FILE_ERROR; INVALID_ARGUMENT where `first`
   lies behind the end of the list, there is too little room, none or several places to write to, or
   run.checkpoint_path is set. */
COMBGPU_API combgpu_status combgpu_magic_list(combgpu_context *ctx,
                                              const combgpu_magic_list_desc *desc,
                                              combgpu_magic_list_result *result);

/* What a square is, line by line. */
typedef struct combgpu_magic_report {
    int64_t magic_sum;             /* n(n*n+1)/2 */
    int64_t rows[64], columns[64]; /* the first `order` are set */
    int64_t diagonals[2];          /* main (top left to bottom right), other */
    int64_t broken[2][64];         /* the diagonals that begin in row 0, by column, and wrap around:
                                      [0] down to the right, [1] down to the left */
    int is_permutation;            /* 1 .. n*n once each */
    int is_semimagic, is_magic, is_pandiagonal, is_associative, is_ultramagic, is_frenicle;
    int is_bimagic;
    int wrong_cell;  /* index of the first cell out of range or repeated; -1 if none */
    int repeats;     /* index of the cell before it that holds the same number; -1 if none */
    int wrong_lines; /* how many rows, columns and (the two) diagonals have a wrong sum */
    char wrong[160]; /* the first fault in words: cell or line, sum and magic sum; "" if magic */
} combgpu_magic_report;

/* Checks a square of order 1 to 64 (ctx only carries the message). All is_ fields but is_frenicle
   ask for is_permutation as well. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_check(combgpu_context *ctx, int order, const int *square,
                                               combgpu_magic_report *report);

/* Writes the Frenicle form of `square` to `out` (order*order ints each, may be the same array), for
   orders 1 to 10000. The square need not be magic; of equal corners the first one counts, and a
   square with a[0][1] = a[1][0] is left as it is. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_frenicle(combgpu_context *ctx, int order,
                                                  const int *square, int *out);

/* Writes one magic square of any order from 3 to 10000 to out[order*order]: odd orders by the
   Siamese method, multiples of 4 by complementing, the others by Strachey's method. Errors:
   INVALID_ARGUMENT. O(n^2). */
COMBGPU_API combgpu_status combgpu_magic_construct(combgpu_context *ctx, int order, int *out);

/* The same for kinds: ASSOCIATIVE (odd orders and multiples of 4), PANDIAGONAL (orders prime to 6, by
   two linear Latin squares; multiples of 4) and ULTRAMAGIC (orders prime to 6); SEMI gives a normal
   one. Errors: INVALID_ARGUMENT (also where no such square exists: orders 4k + 2; pandiagonal 3;
   ultramagic 3 and 4), UNSUPPORTED (the other orders). */
COMBGPU_API combgpu_status combgpu_magic_construct_kind(combgpu_context *ctx, int order,
                                                        combgpu_magic_kind kind, int *out);

/* Writes rotation or reflection number `symmetry` (0 to 7) of the square to `out`, another array: the
   bits mean 1 transpose, 2 flip rows (upside down), 4 flip columns, done in the order 4, 2, 1. Orders
   1 to 10000. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_symmetry(combgpu_context *ctx, int order,
                                                  const int *square, int symmetry, int *out);

/* M-transformations: rows and columns are permuted alike by a permutation p of 0 .. n-1 with
   p(n-1-i) = n-1-p(i); a magic square stays one. There are 2^h h! with h = n/2 rounded down. With the
   rotations and reflections they make a group of 4 times as many: 32 for orders 4 and 5, 192 for 6
   and 7. *count gets 2^h h! for orders 1 to 33. */
COMBGPU_API combgpu_status combgpu_magic_m_count(combgpu_context *ctx, int order, uint64_t *count);

/* Writes M-transformation number `index` (below that count; 0 changes nothing) of the square to `out`,
   another array: out[i][j] = square[p(i)][p(j)]. Errors: INVALID_ARGUMENT. O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_m_transform(combgpu_context *ctx, int order,
                                                     const int *square, uint64_t index, int *out);

/* Writes the first of all images of the square under that group of 4 * 2^h h!, compared number by
   number, row by row, to `out`, another array: equal for two squares if and only if the group takes
   one to the other. Orders 1 to 10000. Errors: INVALID_ARGUMENT (also two equal numbers that it has
   to choose from). O(n^2) */
COMBGPU_API combgpu_status combgpu_magic_canonical(combgpu_context *ctx, int order,
                                                   const int *square, int *out);

/* The class of a magic square of order 4 by where the pairs that add up to 17 lie (H. E. Dudeney, The
   Queen, 1910), 1 to 12; *type gets 0 for the pairings that no magic square has. Equal letters are a
   pair; squares of each class up to rotation and reflection, 880 in all. I, II, III, VI are Dudeney's;
   among classes of one size he drew, the pictures here settle the numbers.

      I 48      II 48     III 48    IV 96     V 96      VI 304
      a b c d   a b c d   a b c d   a a b b   a b a b   a b b a
      e f g h   b a d c   e f g h   c c d d   c d c d   c d d c
      c d a b   e f g h   h g f e   e e f f   e f e f   e f f e
      g h e f   f e h g   d c b a   g g h h   g h g h   g h h g

      VII 56    VIII 56   IX 56     X 56      XI 8      XII 8
      a a b b   a b b a   a b a b   a b b a   a b a b   a a b b
      c d d c   c c d d   c d d c   c d c d   c d c d   c d e f
      e f f e   e e f f   e f f e   e f e f   e f g h   g g h h
      g g h h   g h h g   g h g h   g h h g   g h e f   d c f e

   Errors: INVALID_ARGUMENT (not 1 .. 16 once each). */
COMBGPU_API combgpu_status combgpu_magic_dudeney(combgpu_context *ctx, const int *square,
                                                 int *type);

/* ---- magic squares: estimates, and order 6 exactly in parts */

typedef struct combgpu_magic_estimate_desc {
    int order;               /* 4 to 11 */
    combgpu_magic_kind kind; /* NORMAL or SEMI */
    uint64_t samples; /* at most 2^40; 0 = 1,000,000. With relative_error the most to take; then
                                0 = 2^40 */
    double relative_error; /* nonzero: take samples until the standard error is at most this part
                                of the estimate, asked after 2^16 and then after each 2^k * 4, 5, 6,
                                7 samples; not with shards */
    uint64_t seed;
    combgpu_run_desc run;
} combgpu_magic_estimate_desc;

typedef struct combgpu_magic_estimate_result {
    double count;          /* squares, every orientation */
    double standard_error; /* of count: the true value lies within 1.96 of them in 19 of 20 cases,
                              if there are enough samples for the estimate of the error itself;
                              0 = not known (a single sample, or none that found a square) */
    double up_to_d4;       /* count / 8 */
    double relative_error; /* standard_error / count */
    uint64_t samples;
    uint64_t sum[2], squares[4]; /* of the samples and of their squares, in 32-bit digits, lowest
                                    first, each a 64-bit sum: what shards add up */
    int scale;                   /* count = (sum[0] + 2^32 sum[1]) * 2^scale / samples / repeats */
    int repeats;                 /* tails counted for a sample */
    combgpu_run_info run; /* steps: samples; checksum: sum of a hash of each sample and its value */
} combgpu_magic_estimate_result;

/* Estimates how many squares of an order there are. A sample fills both diagonals (kind NORMAL), all
   rows but two outer pairs and all columns but three mirror pairs at random, cell by cell with known
   probabilities (numbers that leave the open lines near their mean are likelier), counts exactly in
   how many ways the last 16 cells (8 for order 4, 12 for order 5) can be filled, and divides by the
   probability of what it chose: the mean is the count, without bias. Sample i depends on seed and i
   alone, and sums are of integers: so value and error are equal on every backend, thread count, slice
   and shard split. Standard errors: order 6 0.1 % in 53 s on one core, 0.01 % in 24 s on an H200;
   order 8 1 % in 0.2 s and order 10 1 % in about 30 s there. Errors: INVALID_ARGUMENT, UNSUPPORTED
   (order above 11), and all errors of runs. */
COMBGPU_API combgpu_status combgpu_magic_estimate(combgpu_context *ctx,
                                                  const combgpu_magic_estimate_desc *desc,
                                                  combgpu_magic_estimate_result *result);
COMBGPU_API combgpu_status combgpu_magic_estimate_begin(combgpu_context *ctx,
                                                        const combgpu_magic_estimate_desc *desc,
                                                        combgpu_job **job);
COMBGPU_API combgpu_status combgpu_magic_estimate_end(combgpu_job *job,
                                                      combgpu_magic_estimate_result *result);

/* Order 6 exactly, in parts. A magic square of order 6 has two disjoint magic series (6 numbers that
   add up to 111) on its diagonals; up to the group of 192 above there are 861,985,427,400 such pairs
   of filled diagonals, the *configurations*, and every square has one of them up to the group.
   Numbered: all pairs of disjoint series A < B in lexicographic order, and for each pair 15 ways to
   put A on the main diagonal (as pairs of opposite cells, from the outside in the order of their
   smaller numbers, smaller number first) times 360 for B on the other (a[0][5] < a[5][0]). */
#define COMBGPU_MAGIC_CONFIGURATIONS UINT64_C(861985427400)

typedef struct combgpu_magic_diagonals_desc {
    uint64_t first, count; /* configurations first .. first + count - 1; count 1 to 262144 */
    combgpu_run_desc run;
} combgpu_magic_diagonals_desc;

typedef struct combgpu_magic_diagonals_result {
    uint64_t squares;   /* with these diagonals as they stand; about 860,000 for a configuration */
    combgpu_u128 count; /* every image of them: 192 * squares. The sum over all configurations is
                             the number of magic squares of order 6, every orientation */
    combgpu_run_info run; /* steps: 24 * 23 * 22 * 20 * 19 for a configuration, choices of five
                             cells. checksum: sum of a hash of each step's number and its squares */
} combgpu_magic_diagonals_result;

/* Counts the squares over a range of configurations: for each way to fill rows 2 and 3 the rest as in
   combgpu_magic_estimate, all of them. About 5 s for a configuration on a CPU core, 0.11 s on an
   H200. Ranges, like shards, add up. Errors: INVALID_ARGUMENT, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_magic_diagonals(combgpu_context *ctx,
                                                   const combgpu_magic_diagonals_desc *desc,
                                                   combgpu_magic_diagonals_result *result);
COMBGPU_API combgpu_status combgpu_magic_diagonals_begin(combgpu_context *ctx,
                                                         const combgpu_magic_diagonals_desc *desc,
                                                         combgpu_job **job);
COMBGPU_API combgpu_status combgpu_magic_diagonals_end(combgpu_job *job,
                                                       combgpu_magic_diagonals_result *result);

/* Writes a configuration to square[36]: its 12 numbers, 0 elsewhere (as combgpu_magic takes givens).
   Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. Up to 0.3 s. */
COMBGPU_API combgpu_status combgpu_magic_diagonals_get(combgpu_context *ctx, uint64_t configuration,
                                                       int *square);

/* ============================================================== SECTION 3: no-three-in-line == */
/* Place 2n points on an n x n grid so that no three lie on one line of any slope: two in every row
   and column. A board is an array of n masks, one a row; bit x of row y is the point in column x.
 */

/* Symmetry classes: the subgroup of D4 that maps a solution to itself. NEAR_ROT4 (rct4) solutions
   are quarter-turn symmetric except on the two long diagonals; they are part of ROT2. The name is
   used for odd sides alone; on an even side a search for NEAR_ROT4 finds such solutions too, beside
   those with a quarter turn, and counts them as ROT2 (n = 4, 24 and 26 have some). */
typedef enum combgpu_no3_class {
    COMBGPU_NO3_ALL = 0, /* in a description: search everything */
    COMBGPU_NO3_IDEN,    /* no symmetry (only counted) */
    COMBGPU_NO3_DIA1,    /* one diagonal reflection */
    COMBGPU_NO3_ORT1,    /* one orthogonal reflection */
    COMBGPU_NO3_ROT2,    /* half turn */
    COMBGPU_NO3_NEAR_ROT4,
    COMBGPU_NO3_DIA2, /* both diagonal reflections */
    COMBGPU_NO3_ROT4, /* quarter turn */
    COMBGPU_NO3_ORT2, /* both orthogonal reflections */
    COMBGPU_NO3_FULL, /* all eight */
    COMBGPU_NO3_CLASS_COUNT
} combgpu_no3_class;

/* "iden", "dia1", ... "full"; "all". */
COMBGPU_API const char *combgpu_no3_class_string(combgpu_no3_class symmetry);

/* Receives one solution (n row masks) and its exact class. Nonzero stops the run. */
typedef int (*combgpu_no3_fn)(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user);

typedef struct combgpu_no3_desc {
    int n;                      /* grid side, 2 to 64; to 32 if symmetry is ALL */
    combgpu_no3_class symmetry; /* ALL, or search only solutions with at least this symmetry */
    combgpu_no3_fn solution;    /* NULL = count only */
    void *solution_user;
    int every_orientation;    /* solution gets: 0 = one of each class, canonical; 1 = all its images
                              that differ (8, fewer if it is symmetric) */
    uint64_t limit;           /* end with FOUND after this many calls of solution, or, without one,
                              this many solutions up to symmetry; 0 = no limit. A job that is
                              stepped on goes on to as many again */
    const uint64_t *on, *off; /* n row masks each, copied; NULL = none: search only boards that have
                                 all points of `on` and none of `off`. See "fixed cells" below */
    uint64_t seed;            /* 0 = from the centre out; else in a random order that this number
                                 gives. See "first solution" below */
    combgpu_run_desc run;
} combgpu_no3_desc;

typedef struct combgpu_no3_result {
    uint64_t all;            /* boards as they stand, every orientation (ALL: OEIS A000755) */
    uint64_t up_to_symmetry; /* up to the 8 symmetries (ALL: A000769): the sum of classes, without
                                near_rot4, which is part of rot2 */
    uint64_t classes[COMBGPU_NO3_CLASS_COUNT]; /* up to symmetry, by exact class */
    uint64_t restarts;    /* this shard's pieces of the tree begun; 0 without a seed */
    combgpu_run_info run; /* steps: propagation passes after the frontier; checksum: sum of a hash
                             of each canonical solution */
} combgpu_no3_result;

/* Enumerates solutions: exhaustive, depth-first, lines from the centre out, symmetric copies cut
   off near the root. A search for one class finds the solutions that have that symmetry, or a
   larger one, and counts them by their exact class. Boards are those orbits of cells under the
   symmetry that a solution is made of, so such a search is far shorter than the full one.
   On one core n = 10 takes 0.02 s, n = 12 half a second to a second; each further step up to nine
   times as much, with rot4 twice as much. An H200 does n = 14 in 0.12 s, n = 16 in 8 s, and uses
   less than 1 GiB. Errors: INVALID_ARGUMENT, UNSUPPORTED (ALL with n > 32), and all errors of runs.
   Method: A. Flammenkamp 1992, 1998 (two points a line, symmetry classes).

   Fixed cells. With desc.on or desc.off the search is for the boards that have all of those points
   and none of these, in the one orientation in which they are given: result.all counts such boards
   as they stand, with the symmetry asked for about any of its axes (dia1: either diagonal; ort1:
   either middle line). result.up_to_symmetry and classes count two of them that are images of each
   other once, and `solution` gets the smallest of these, or with every_orientation each of them.
   Symmetric copies are cut off as far as the fixed cells are symmetric themselves. Cells that no
   solution can have together are no error: the answer is 0. NULL and all zeros mean the same.

   First solution. With limit 1 and a seed the search stops at the first solution of a random order
   that the seed gives; with run.time_limit_s it gives up in time. The tree is cut into pieces of
   some 10 million steps (on a GPU, of some billions), at random; they are searched one after the
   other, each from places all over the tree, as with restarts, but none twice: COMBGPU_OK means that
   there are no more solutions. That is what large sides need: all solutions for rot4, n = 44, take
   a thousand times as long as one. The solutions of a piece come when it is done, in an order that
   the seed gives too, so the first does not depend on threads, slices, stop and resume, nor on the
   device if it is a CPU; GPUs of another size have other pieces. Counts are those of the search
   without a seed; the steps can differ by a few percent. Progress and combgpu_job_estimate take the
   pieces to come for as large as those begun; the error of that is not known. */
COMBGPU_API combgpu_status combgpu_no3(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                       combgpu_no3_result *result);
COMBGPU_API combgpu_status combgpu_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_no3_end(combgpu_job *job, combgpu_no3_result *result);

typedef struct combgpu_no3_report {
    int is_solution; /* 2n points, two in each row and column, no three in line */
    int points;
    int bad_row, bad_column; /* first with other than two points; -1 if none */
    int has_line;            /* three collinear points exist: line_x, line_y (columns, rows) */
    int line_x[3], line_y[3];
    combgpu_no3_class symmetry; /* IDEN to FULL (NEAR_ROT4 where it applies) */
} combgpu_no3_report;

/* Checks a board of side 1 to 64. Errors: INVALID_ARGUMENT (n, a point outside the grid). O(n^3) */
COMBGPU_API combgpu_status combgpu_no3_check(combgpu_context *ctx, int n, const uint64_t *rows,
                                             combgpu_no3_report *report);

/* Writes the smallest of the 8 images (rows compared as numbers, first row first) to out[n], which
   may be `rows`. Errors: as above. */
COMBGPU_API combgpu_status combgpu_no3_canonical(combgpu_context *ctx, int n, const uint64_t *rows,
                                                 uint64_t *out);

/* Board as run-length encoded pattern text ("x = 4, y = 4" header, b = empty, o = point, $ = end of
   row, ! = end), as Life programs read it, NUL-terminated. *needed (may be NULL) gets the size with
   its NUL; if `bytes` is less, the text is "" (call it with NULL, 0 to ask).
   Errors: INVALID_ARGUMENT (n, a point outside the grid, bytes too small). */
COMBGPU_API combgpu_status combgpu_no3_to_rle(combgpu_context *ctx, int n, const uint64_t *rows,
                                              char *text, size_t bytes, size_t *needed);

/* Reads such text (comment lines that begin with #, any rule, runs of $ and a missing tail of a row
   are understood) into rows[64]; *n gets the side. Text after ! is not looked at.
   Errors: INVALID_ARGUMENT, BAD_FILE with line and reason (not square, larger than 64). */
COMBGPU_API combgpu_status combgpu_no3_from_rle(combgpu_context *ctx, const char *text,
                                                size_t bytes, int *n, uint64_t *rows);

/* Draws a board as text, one line a row, ". o " characters; sizes as for combgpu_no3_to_rle. */
COMBGPU_API combgpu_status combgpu_no3_draw(combgpu_context *ctx, int n, const uint64_t *rows,
                                            char *text, size_t bytes, size_t *needed);

/* A board as an SVG picture: the grid's lines, a disc at each point, and above them a title (UTF-8;
   NULL or "" = none). Three points that combgpu_no3_check would name are red and joined by a line.
   Sizes as for combgpu_no3_to_rle. Errors: INVALID_ARGUMENT. */
COMBGPU_API combgpu_status combgpu_no3_to_svg(combgpu_context *ctx, int n, const uint64_t *rows,
                                              const char *title, char *text, size_t bytes,
                                              size_t *needed);

/* A board in A. Flammenkamp's one-line code, in which his lists of solutions are written: a
   character for the symmetry class, then for each row, the first one first, the two columns of its
   points, smaller one first, a character each: 0-9 A-Z a-z # $ are 0 to 63. Classes: . iden, / dia1,
   - ort1, : rot2, c near_rot4, x dia2, o rot4, + ort2, * full. No newline; sizes as for
   combgpu_no3_to_rle. Errors: INVALID_ARGUMENT (also a row that has not two points). */
COMBGPU_API combgpu_status combgpu_no3_to_flammenkamp(combgpu_context *ctx, int n,
                                                      const uint64_t *rows, char *text,
                                                      size_t bytes, size_t *needed);

/* Reads such a line: the first of `text` that has more than spaces in it; spaces and a carriage
   return at its ends are skipped, the columns of a row may come in either order. rows[64] gets the
   board, *n its side, *symmetry (may be NULL) the class that the line claims: it is not checked, nor
   is the board. *used (may be NULL) gets how many bytes were read, the newline included: the next
   board of a list begins there. Errors: INVALID_ARGUMENT, BAD_FILE with line and reason. */
COMBGPU_API combgpu_status combgpu_no3_from_flammenkamp(combgpu_context *ctx, const char *text,
                                                        size_t bytes, int *n, uint64_t *rows,
                                                        combgpu_no3_class *symmetry, size_t *used);

/* ================================================================== SECTION 4: permutations == */
/* Permutations of 0 .. n-1 as n bytes, in lexicographic order; the rank is the place in that order,
   0 .. n!-1. 64-bit ranks reach n = 20, 128-bit ranks n = 34. Where ctx may be NULL there is then no
   message; the other arguments are checked all the same. */

/* n! for n from 0 to 34; 0 for other n. */
COMBGPU_API combgpu_u128 combgpu_factorial(int n);

/* Rank of a permutation and back (Lehmer code); n: 1 to 20, in the 128-bit forms 1 to 34. One
   unranking takes about 15 ns for n = 12 and 30 ns for n = 20. ctx may be NULL. Errors:
   INVALID_ARGUMENT (n, a NULL pointer, perm[i] out of range or repeated, rank >= n!). */
COMBGPU_API combgpu_status combgpu_perm_rank(combgpu_context *ctx, int n, const uint8_t *perm,
                                             uint64_t *rank);
COMBGPU_API combgpu_status combgpu_perm_unrank(combgpu_context *ctx, int n, uint64_t rank,
                                               uint8_t *perm);
COMBGPU_API combgpu_status combgpu_perm_rank128(combgpu_context *ctx, int n, const uint8_t *perm,
                                                combgpu_u128 *rank);
COMBGPU_API combgpu_status combgpu_perm_unrank128(combgpu_context *ctx, int n, combgpu_u128 rank,
                                                  uint8_t *perm);

/* Replaces perm by its successor or predecessor and returns 1. The last one has no successor: it
   becomes the first one, and 0 is returned; likewise the first one's predecessor. Any n; equal
   elements may occur (then these are the permutations of that multiset). Amortised O(1) (Narayana
   Pandita's method). */
COMBGPU_API int combgpu_perm_next(int n, uint8_t *perm);
COMBGPU_API int combgpu_perm_previous(int n, uint8_t *perm);

/* The index-th random permutation of the stream `seed`; n: 1 to 34. Each of the n! is equally likely,
   and the same seed and index give the same one on every machine and device: random access, in any
   order and from any thread. Fisher and Yates' shuffle with words of Philox4x32-10 (J. K. Salmon et
   al. 2011; the seed is its key, the index its counter), none of which is used where it would favour
   a value (D. Lemire 2019). ctx may be NULL. Errors: INVALID_ARGUMENT (n, perm NULL). */
COMBGPU_API combgpu_status combgpu_perm_random(combgpu_context *ctx, int n, uint64_t seed,
                                               uint64_t index, uint8_t *perm);

/* parity: 0 for an even permutation, 1 for an odd one. inverse: inverse[perm[i]] = i. compose:
   product[i] = left[right[i]], first right, then left. n: 1 to 34; the output may be an input. ctx
   may be NULL. Errors: INVALID_ARGUMENT (n, a NULL pointer, an element out of range or repeated). */
COMBGPU_API combgpu_status combgpu_perm_parity(combgpu_context *ctx, int n, const uint8_t *perm,
                                               int *parity);
COMBGPU_API combgpu_status combgpu_perm_inverse(combgpu_context *ctx, int n, const uint8_t *perm,
                                                uint8_t *inverse);
COMBGPU_API combgpu_status combgpu_perm_compose(combgpu_context *ctx, int n, const uint8_t *left,
                                                const uint8_t *right, uint8_t *product);

/* A caller's own function on permutations, in one form for each backend. COMBGPU_PERM_VISITOR
   below makes all of them from one text; or fill it in by hand, and leave NULL what you do not
   need: a run on a backend without a form is UNSUPPORTED. Equal on every backend means that the
   forms return equal values. */
typedef struct combgpu_perm_visitor {
    const char *name; /* identifies it in messages and checkpoints */
    /* CPU. Called from several threads at once. */
    int64_t (*cpu)(const unsigned char *perm, int n, const unsigned char *data);
    /* CPU, may be NULL: the values of `count` permutations that lie one after another. Faster,
       because the compiler can put the function into the loop. */
    void (*cpu_many)(const unsigned char *perms, int n, const unsigned char *data, int count,
                     int64_t *values);
    /* OpenCL C 1.2, put before the text of combgpu_kernels.cl. Defines the macro COMBGPU_VISITOR
       and static long combgpu_visit(const uchar *perm, int n, __global const uchar *data) */
    const char *opencl_source;
    /* CUDA: combgpu_perm_visit<F>, where F has
       static __device__ long long visit(const unsigned char *, int, const unsigned char *) */
    const void *cuda_kernel;
    /* CPU, may be NULL: 720 permutations at once, in columns, so that the compiler can use SIMD.
       They begin with head[0 .. n-7]; place n-6+t of number j is columns[720*t + j]. Writes their
       values, or if hits is not NULL only whether they are 0 (0 or 1). Returns 0 for an n that it
       was not compiled for. */
    int (*cpu_group)(const unsigned char *head, int n, const unsigned char *columns,
                     const unsigned char *data, int64_t *values, unsigned char *hits);
} combgpu_perm_visitor;

/* What a range runs through: all permutations, or one of these. Ranks are 64 bits. "Lexicographic"
   is the order of the lists of bytes.

   family        members                                          number          n        order
   ALL           permutations of 0 .. n-1                         n!              1 to 20  lexicographic
   PARTIAL       k different ones of 0 .. n-1, in any order       n!/(n-k)!       1 to 64  lexicographic
   MULTISET      value v (0 .. n-1) occurs repeats[v] times,      multinomial     1 to 64  lexicographic
                 each arrangement once; at most 64 places
   DERANGEMENT   permutations without a fixed point, perm[i] != i subfactorial    1 to 20  lexicographic
   COMBINATION   k different ones of 0 .. n-1, ascending          n!/k!/(n-k)!    1 to 64  lexicographic
   GRAY          permutations of 0 .. n-1                         n!              1 to 20  each one is the
                 one before with two neighbours swapped (Steinhaus, Johnson, Trotter)
   CYCLE         permutations that are one cycle: i, perm[i],     (n-1)!          1 to 21  lexicographic
                 perm[perm[i]], ... comes through all n
   CIRCULAR      seats round a table: of orders that a rotation   (n-1)!          1 to 21  lexicographic
                 makes equal, the one that begins with 0 */
typedef enum combgpu_perm_family {
    COMBGPU_PERM_ALL = 0,
    COMBGPU_PERM_PARTIAL,
    COMBGPU_PERM_MULTISET,
    COMBGPU_PERM_DERANGEMENT,
    COMBGPU_PERM_COMBINATION,
    COMBGPU_PERM_GRAY,
    COMBGPU_PERM_CYCLE,
    COMBGPU_PERM_CIRCULAR
} combgpu_perm_family;

/* A family with its parameters; a member has `length` places: n, k or the sum of repeats. */
typedef struct combgpu_perm_set {
    combgpu_perm_family family;
    int n;
    int k;                  /* PARTIAL, COMBINATION: 1 to n; else 0 */
    const uint8_t *repeats; /* MULTISET: n numbers, their sum 1 to 64; else NULL */
} combgpu_perm_set;

/* Number and length of a set's members (either pointer may be NULL); a member's rank and back, in
   O(length * n). ctx may be NULL (then there is no message). Errors: INVALID_ARGUMENT (family, n, k,
   repeats; more than 2^64 - 1 members; a member that is none; a rank that is too large). */
COMBGPU_API combgpu_status combgpu_perm_set_count(combgpu_context *ctx, const combgpu_perm_set *set,
                                                  uint64_t *count, int *length);
COMBGPU_API combgpu_status combgpu_perm_set_rank(combgpu_context *ctx, const combgpu_perm_set *set,
                                                 const uint8_t *perm, uint64_t *rank);
COMBGPU_API combgpu_status combgpu_perm_set_unrank(combgpu_context *ctx,
                                                   const combgpu_perm_set *set, uint64_t rank,
                                                   uint8_t *perm);

typedef enum combgpu_perm_goal {
    COMBGPU_PERM_WRITE = 0, /* write the range to `out` or `device_out`, or hand it in chunks to
                               `solution` */
    COMBGPU_PERM_COUNT,     /* count the permutations whose value is not 0; list them to `solution`
                               if that is set */
    COMBGPU_PERM_MINIMUM,   /* the smallest value, and the first permutation that has it */
    COMBGPU_PERM_MAXIMUM,
    COMBGPU_PERM_SUM,      /* the sum of all values, 128 bits */
    COMBGPU_PERM_HISTOGRAM /* how many values there are of each kind */
} combgpu_perm_goal;

/* Receives a hit (COUNT; count is 1), or a chunk (WRITE): `count` permutations, n bytes each (or n
   items, if `items` or `item_bytes` is set: then perms points to them), of consecutive ranks from
   `rank` on; for n > 20 `rank` is the lower half. Hits and chunks come in any order (sorted within a
   slice only), unless `ordered` is set. The memory is valid during the call. Nonzero stops the run. */
typedef int (*combgpu_perm_fn)(uint64_t rank, const uint8_t *perms, uint64_t count, int n,
                               void *user);

/* A range of permutations and what to do with it. */
typedef struct combgpu_perm_desc {
    int n;          /* 1 to 20; WRITE: 1 to 34 */
    uint64_t first; /* rank of the first permutation */
    uint64_t count; /* how many; 0 = all from first on. For n > 20 at most 2^63 */
    combgpu_perm_goal goal;
    const combgpu_perm_set *set; /* NULL = all permutations of 0 .. n-1. Else n must be set->n or 0,
                                    and first and count speak of ranks in the set. Copied */
    const combgpu_perm_visitor *visitor; /* for all goals but WRITE. Must outlive the job */
    const void
        *data; /* handed to the visitor; copied when the job begins. NULL if data_bytes is 0 */
    size_t data_bytes; /* at most 1 GiB */
    void *out;        /* WRITE: the caller's memory for count*n items: permutation first + i goes to
                         items i*n and up. A shard writes its part of it. After a resume only what was
                         left is written, so `out` must then hold what the earlier runs wrote */
    size_t out_bytes; /* its size, at least count*n*item_bytes */
    combgpu_perm_fn solution; /* COUNT: each hit, may be NULL; WRITE: chunks, if there is no out */
    void *solution_user;
    uint64_t limit; /* COUNT: end with FOUND when there are so many hits, those before a resume
                       included; 0 = no limit */
    int ordered; /* COUNT with solution: nonzero: hits come in ascending order of rank, so that with a
                       limit they are the first ones; each shard's for itself */
    int bins;    /* HISTOGRAM: 1 to 4096 */
    uint64_t *histogram; /* HISTOGRAM: bins numbers, set by _end: histogram[i] values are in
                            [bin_first + i*bin_width, bin_first + (i+1)*bin_width) */
    int64_t bin_first;
    uint64_t bin_width; /* 0 = 1 */
    combgpu_run_desc run;
    uint64_t first_hi; /* upper half of `first`, for n > 20 */
    const void
        *items;     /* WRITE: n items of the caller's; item perm[i] is written in place of perm[i].
                          Copied when the job begins. NULL = the numbers 0 .. n-1 */
    int item_bytes; /* size of an item, written or given: 1, 2, 4 or 8; 0 = 1. `out` and
                          `device_out` must begin at a multiple of it */
    combgpu_device_memory device_out; /* WRITE: as `out`, on the device; see there what else must
                                         hold. Unused if its `memory` is NULL */
} combgpu_perm_desc;

typedef struct combgpu_perm_result {
    uint64_t visited;     /* permutations visited, or (WRITE) written or handed over */
    uint64_t hits;        /* COUNT; with `solution` or `limit`, those handed over or counted */
    int64_t best_value;   /* MINIMUM, MAXIMUM; valid if visited > 0 */
    uint64_t best_rank;   /* smallest rank with that value */
    uint8_t best[64];     /* that permutation, n bytes */
    combgpu_u128 sum;     /* SUM: in two's complement. Exact for any range; its `lo` is the sum with
                             wrap-around at 2^64, (int64_t)lo that of signed numbers */
    uint64_t outside;     /* HISTOGRAM: values that are in no bin */
    combgpu_run_info run; /* steps: permutations. checksum: COUNT: sum of a hash of each hit's rank;
                             MINIMUM, MAXIMUM: a hash of best value and rank; SUM: of the sum;
                             HISTOGRAM: sum of a hash of each value's bin; WRITE: a hash of the
                             ranges (their borders, not the bytes) that were written */
} combgpu_perm_result;

/* Writes, counts or scores the range [first, first + count). Errors: INVALID_ARGUMENT (n, first, a
   range past n!, goal, a missing visitor, data, out or solution, a short or misaligned buffer, memory
   of another device), UNSUPPORTED (a
   visitor without a form for this backend), DEVICE_ERROR (an OpenCL visitor that does not compile:
   the message has the compiler's), and all errors of runs. */
COMBGPU_API combgpu_status combgpu_perm(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                        combgpu_perm_result *result);
COMBGPU_API combgpu_status combgpu_perm_begin(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                              combgpu_job **job);
COMBGPU_API combgpu_status combgpu_perm_end(combgpu_job *job, combgpu_perm_result *result);

/* Defines the visitor NAME from one function body, in the common subset of C, CUDA and OpenCL C:

       COMBGPU_PERM_VISITOR(fixed_points, {
           int i, fixed = 0;
           for (i = 0; i < n; i++) fixed += perm[i] == i;
           return fixed;
       })
       ... desc.visitor = &fixed_points;

   The body sees `perm` (n values 0 .. n-1), `n` and `data`, and returns a 64-bit integer. `data` is
   the description's data: bytes that start at a multiple of 4. data[i] is a byte on every backend,
   and so are combgpu_data_i32(data, i) and combgpu_data_i64(data, i) the i-th number, if the data
   is an array of int32_t or int64_t. The integer types int8_t .. uint64_t can be used. Macros in
   the body are expanded as in C; it must not contain preprocessor lines, and cannot call the
   program's other functions. Use the macro at file scope. With CUDA, NAME must be unique in the
   program. */
#define COMBGPU_PERM_VISITOR(NAME, ...) COMBGPU__PERM_VISITOR(NAME, __VA_ARGS__)

/* Device functions for a caller's own kernels (combgpu_kernels.cl, part PERM); n is 1 to 20 where a
   rank has 64 bits, else 1 to 34. They trust their arguments.

       void combgpu_unrank(int n, u64 rank, u8 *perm)
       u64 combgpu_rank(int n, const u8 *perm)
       void combgpu_unrank128(int n, u64 high, u64 low, u8 *perm)
       u64 combgpu_rank128(int n, const u8 *perm, u64 *high)              returns the lower half
       int combgpu_next_permutation(int n, u8 *perm)                      as combgpu_perm_next
       int combgpu_previous_permutation(int n, u8 *perm)
       void combgpu_random_permutation(int n, u64 seed, u64 index, u8 *perm)
       int combgpu_parity(int n, const u8 *perm)
       void combgpu_inverse(int n, const u8 *perm, u8 *inverse)           into another array
       void combgpu_compose(int n, const u8 *left, const u8 *right, u8 *product)

   Arrays are private; u8 is unsigned char, u64 an unsigned 64-bit integer (CUDA: unsigned long
   long, OpenCL: ulong). CUDA: they are there after the include of combgpu.h with COMBGPU_CUDA.
   OpenCL: give clCreateProgramWithSource the text of combgpu_kernels.cl, then your own, and build
   with -DCOMBGPU_KERNELS_PERM. In a visitor, which stands before that text, declare those that it
   calls: static inline ulong combgpu_rank(int n, const uchar *perm); */

/* =========================================================== SECTION 5: travelling salesman == */
/* Cities are 0 .. n-1. A tour is an array of n city numbers: the order of the visits.

   LENGTHS ARE EXACT. Before a search each weight becomes a whole number: integers stay as they are,
   other weights are rounded once, to a multiple of the power of two that keeps n+1 times the
   largest weight W just below 2^62 units. That moves a weight by at most (n+1) W / 2^62, and leaves
   weights of W/8 and more as they are up to 31 cities. Whole numbers have no order of summation, so
   every method, backend and thread count finds the same optimum and the same ties. The length that
   is handed out is this exact sum as a double (rounded once, where it needs more than 53 bits).

   NORMAL FORM. A cycle is written from city 0. Where a tour and its reverse are the same (symmetric
   weights; cycles, and paths with two free ends) it is written so that the second city of a cycle
   is smaller than its last one, and the first city of a path than its last. Of all shortest tours
   the result is the lexicographically smallest one in this form. */

/* The largest number of cities of an instance, and of a tour in a result. */
#define COMBGPU_TSP_MAX_DIMENSION 5000
#define COMBGPU_TSP_MAX_TOUR 128

typedef enum combgpu_tsp_metric {
    COMBGPU_TSP_MATRIX = 0, /* weights given, row by row: weights[i*n+j] from i to j */
    COMBGPU_TSP_EUC_2D,     /* TSPLIB: rounded to the nearest integer */
    COMBGPU_TSP_CEIL_2D,    /* rounded up */
    COMBGPU_TSP_MAN_2D,     /* |dx| + |dy|, rounded to the nearest integer */
    COMBGPU_TSP_MAX_2D,     /* max(|dx|, |dy|), each rounded to the nearest integer */
    COMBGPU_TSP_ATT,        /* pseudo-Euclidean: sqrt((dx^2+dy^2)/10), rounded up */
    COMBGPU_TSP_GEO,        /* x = latitude, y = longitude as DDD.MM; km on TSPLIB's sphere */
    COMBGPU_TSP_PLANE,      /* exact Euclidean distance, double */
    COMBGPU_TSP_EARTH       /* x = latitude, y = longitude in decimal degrees; great circle, km,
                               double (sphere of radius 6371.0088 km) */
} combgpu_tsp_metric;

/* A problem instance; made by combgpu_tsp_from_*, _read or _parse, or filled in by hand (then the
   arrays are the caller's, and combgpu_tsp_free must not be called on it). */
typedef struct combgpu_tsp_instance {
    char name[64];
    int n;         /* cities */
    int symmetric; /* weights[i*n+j] == weights[j*n+i] for all i, j */
    int integral;  /* all weights are integers, at most 2^53 */
    combgpu_tsp_metric metric;
    double *weights; /* n*n, finite, 0 or more; the diagonal is not used */
    double *x, *y;   /* coordinates, or NULL */
} combgpu_tsp_instance;

/* Builds an instance from coordinates x[n], y[n] (copied). Errors: INVALID_ARGUMENT (n, metric, a
   coordinate that is NaN, infinite or no latitude or longitude, a distance above 2^53 where the
   metric rounds, above 1e300 else), OUT_OF_MEMORY. O(n^2). */
COMBGPU_API combgpu_status combgpu_tsp_from_coordinates(combgpu_context *ctx, int n,
                                                        const double *x, const double *y,
                                                        combgpu_tsp_metric metric,
                                                        combgpu_tsp_instance *instance);
/* Builds an instance from a matrix (copied), symmetric or not. Errors: INVALID_ARGUMENT (n; weights
   that are negative, NaN, or above 1e300), OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_tsp_from_matrix(combgpu_context *ctx, int n,
                                                   const double *weights,
                                                   combgpu_tsp_instance *instance);
COMBGPU_API combgpu_status combgpu_tsp_from_int_matrix(combgpu_context *ctx, int n,
                                                       const int *weights,
                                                       combgpu_tsp_instance *instance);
/* Reads a TSPLIB file: TYPE TSP and ATSP; EDGE_WEIGHT_TYPE EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT,
   GEO, or EXPLICIT as FULL_MATRIX or any of the eight triangular forms, integers or decimals.
   Keywords may come in any order (DIMENSION and EDGE_WEIGHT_FORMAT before the sections that need
   them), in small letters too; nodes are numbered from 1, in any order.
   Errors: FILE_ERROR; BAD_FILE with line and reason; UNSUPPORTED, likewise; OUT_OF_MEMORY. */
COMBGPU_API combgpu_status combgpu_tsp_read(combgpu_context *ctx, const char *path,
                                            combgpu_tsp_instance *instance);
/* The same from memory; the text need not end in a NUL. */
COMBGPU_API combgpu_status combgpu_tsp_parse(combgpu_context *ctx, const char *text, size_t bytes,
                                             combgpu_tsp_instance *instance);
/* Reads a TSPLIB tour (TOUR_SECTION, cities from 1, ended by -1 or EOF) of n cities into tour[n],
   cities from 0. DIMENSION may be missing. Errors: as combgpu_tsp_read. */
COMBGPU_API combgpu_status combgpu_tsp_read_tour(combgpu_context *ctx, const char *path, int n,
                                                 int *tour);
COMBGPU_API combgpu_status combgpu_tsp_parse_tour(combgpu_context *ctx, const char *text,
                                                  size_t bytes, int n, int *tour);
/* Writes a tour as a TSPLIB tour file's text, NUL-terminated. *needed (may be NULL) gets the size
   with its NUL. name may be NULL. Errors: INVALID_ARGUMENT (no permutation; `bytes` is less). */
COMBGPU_API combgpu_status combgpu_tsp_write_tour(combgpu_context *ctx, const char *name, int n,
                                                  const int *tour, char *text, size_t bytes,
                                                  size_t *needed);
/* Frees what the functions above allocated; the struct becomes empty. */
COMBGPU_API void combgpu_tsp_free(combgpu_context *ctx, combgpu_tsp_instance *instance);

typedef enum combgpu_tsp_method {
    COMBGPU_TSP_AUTO = 0,        /* see combgpu_tsp */
    COMBGPU_TSP_BRUTE_FORCE,     /* looks at every tour; n <= 16 */
    COMBGPU_TSP_HELD_KARP,       /* dynamic programming over subsets; n <= 32, memory permitting */
    COMBGPU_TSP_BRANCH_AND_BOUND /* 1-tree bounds; n <= COMBGPU_TSP_MAX_TOUR */
} combgpu_tsp_method;

typedef enum combgpu_tsp_shape {
    COMBGPU_TSP_CYCLE = 0, /* closed tour, from city 0 back to it */
    COMBGPU_TSP_PATH       /* open path; ends free, or fixed by path_start, path_end */
} combgpu_tsp_shape;

typedef struct combgpu_tsp_desc {
    const combgpu_tsp_instance *instance; /* read during the call */
    combgpu_tsp_method method;
    combgpu_tsp_shape shape;
    int path_start, path_end; /* PATH: city + 1; 0 = free */
    const int *start; /* branch and bound: a tour of n cities to begin with, read during the call;
                         NULL = it finds one itself */
    uint64_t seed;    /* branch and bound: of the random restarts in its search for a first tour */
    combgpu_run_desc run;
} combgpu_tsp_desc;

typedef struct combgpu_tsp_result {
    double length;             /* of the tour below */
    double lower_bound;        /* proven; equal to length when optimal */
    int optimal;               /* nonzero: proven, and the smallest in normal form (branch and
                                  bound: one of the shortest) */
    combgpu_tsp_method method; /* the one that was used */
    combgpu_tsp_shape shape;
    int n;
    int tour[COMBGPU_TSP_MAX_TOUR]; /* n cities. Not optimal: the best one known, at least a nearest
                                       neighbour tour */
    uint64_t tours;                 /* BRUTE_FORCE: tours looked at, exact */
    combgpu_run_info run; /* steps: tours looked at; Held-Karp: states (city, set of cities still to
                             visit). checksum: brute force: sum of a hash of every prefix's shortest
                             tour; Held-Karp: a hash of the answer; branch and bound: steps are
                             1-trees */
} combgpu_tsp_result;

/* Finds a shortest tour and proves it.

   BRUTE FORCE forms the length of every tour, without pruning: (n-1)!/2 cycles and n!/2 paths with
   free ends if the weights are symmetric, twice as many if not, (n-1)! and (n-2)! paths with one
   and two fixed ends. Sums are shared down the prefix: 0.76 G tours/s on one core, 1,300 G tours/s
   on an H200 (n = 16: 0.5 s). Of the results of all shards the whole's is the one with the smallest
   length, and of these the lexicographically smallest tour.

   HELD-KARP (Bellman 1962; Held and Karp 1962) takes O(2^n n^2) time and O(2^n n) memory: for a
   cycle of n cities about (n-5) 2^(n-2) weights of 4 bytes, or of 8 if n+1 times the largest
   weight reaches 2^30 or weights are not integers: 0.3 GB for n = 24, 26 GB for n = 30. One
   core takes 0.7 ms for n = 16, 16 ms for 20, 0.46 s for 24; an H200 5 ms for 24, 0.28 s for 30. It
   cannot be sharded, and a resumed run begins its table again. On the CPU the table may take 2 GiB
   if memory_limit is 0.

   BRANCH AND BOUND proves with 1-tree bounds (Held and Karp 1970) that no tour is shorter than the
   one it returns, which may be any of the shortest: a proof is complete when no part of the search
   tree has a bound below the tour. Every search begins on the host's threads. Where the context
   has a GPU, or several devices, they take over the open nodes of a tree that is not done after
   50,000 1-trees for each thread (0.2 s); run.backend says who was last at work. pr76, the hardest
   instance of TSPLIB up to 101 cities that the tests hold, takes 6.5 M 1-trees: 7.4 s on two cores
   (Sapphire Rapids), 0.5 s with an H200; the others take less than 0.4 s on one core. A search
   that ends early returns the best tour, the least bound of the open nodes, which is proven, and
   STOPPED. `start` is improved before the search begins; the search's own first tour (nearest
   neighbour, then 2-opt and or-3opt with random restarts from `seed`) is tried as well. It cannot
   be sharded. run.steps counts 1-trees. While the first tour is optimal, which it nearly always
   is, they are the same on every device and with any number of threads; otherwise they depend on
   who found a better tour first, and the length does not. Call L n times the largest weight, or
   n times the first tour if that is shorter than this weight. Integers are exact if L is at most
   2^53. Other weights are rounded to 2^-49 L, and a tour shorter by less than 2^-41 L may be
   missed: the proof's tolerance.

   AUTO: brute force up to 9 cities and for shards; Held-Karp up to 16; above, branch
   and bound, unless its first bound is more than a twelfth off, where Held-Karp is faster up to 26
   cities, and on a GPU up to what its memory holds. A checkpoint keeps what it chose: resumed with
   AUTO, also on another device, or merged, a search goes on with the same method.

   Errors: INVALID_ARGUMENT (instance, method, shape, ends, start; shards with other methods than
   brute force), UNSUPPORTED (too many cities for the method: the message says what it would take),
   DEVICE_OUT_OF_MEMORY (the table does not fit: the message says its size), and all errors of runs.
 */
COMBGPU_API combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                       combgpu_tsp_result *result);
COMBGPU_API combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                             combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result);

/* The length of a tour (CYCLE: with the leg back). Errors: INVALID_ARGUMENT (not a permutation). */
COMBGPU_API combgpu_status combgpu_tsp_length(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour,
                                              double *length);

/* ---- batches: many small instances in one call */

#define COMBGPU_TSP_BATCH_DIMENSION 15 /* the most cities of an instance of a batch */

/* A batch: `count` instances, all of one shape. Exactly one of weights, int_weights, and x with y is
   set; they are read during begin. Zero-initialise it, then set what you need. */
typedef struct combgpu_tsp_batch_desc {
    uint64_t count;        /* instances, 1 to 4,000,000,000 */
    int n;                 /* cities of the largest instance, 1 to 15 */
    const int *cities;     /* cities of each instance, 1 to n; NULL = n each */
    const double *weights; /* from i to j in instance k: weights[(k*n + i)*n + j], also where it
                                   has fewer cities than n; symmetric or not */
    const int32_t *int_weights; /* likewise */
    const double *x, *y;        /* city i of instance k: x[k*n + i], y[k*n + i] */
    combgpu_tsp_metric metric;  /* of coordinates: EUC_2D to EARTH */
    combgpu_tsp_shape shape;
    int path_start, path_end; /* PATH: city + 1; 0 = free */
    double *lengths; /* gets the length of each instance's tour: count doubles, each -1 until
                                 it is known; NULL = not wanted */
    uint8_t *tours;  /* gets the tours: instance k's from tours + k*n on; NULL = not wanted */
    combgpu_run_desc run;
} combgpu_tsp_batch_desc;

typedef struct combgpu_tsp_batch_result {
    uint64_t solved;      /* instances: their tours are proven, and the smallest in normal form */
    combgpu_run_info run; /* steps: states (city, set of cities still to visit). checksum: sum of a
                             hash of each instance's number, length and tour */
} combgpu_tsp_batch_result;

/* Solves a batch exactly, side by side, by Held-Karp's dynamic programming: O(n^2 2^n) each. A GPU's
   block, or a CPU's thread, takes an instance at a time. Lengths, normal form and ties are as above.
   A shard writes its part of the arrays, and so does a resumed run: what earlier runs wrote must
   still be there (with shards, lengths are not set to -1 either).
   Errors: INVALID_ARGUMENT (count, n, cities, weights or coordinates, shape, ends; the message names
   the instance), OUT_OF_MEMORY, and all errors of runs. */
COMBGPU_API combgpu_status combgpu_tsp_batch(combgpu_context *ctx,
                                             const combgpu_tsp_batch_desc *desc,
                                             combgpu_tsp_batch_result *result);
COMBGPU_API combgpu_status combgpu_tsp_batch_begin(combgpu_context *ctx,
                                                   const combgpu_tsp_batch_desc *desc,
                                                   combgpu_job **job);
COMBGPU_API combgpu_status combgpu_tsp_batch_end(combgpu_job *job,
                                                 combgpu_tsp_batch_result *result);

/* Draws a tour as an SVG picture, 800 wide, NUL-terminated: y goes up; for GEO and EARTH north is up,
   and degrees of longitude are as long as in the middle of the picture. An instance of up to 60
   cities gets its city numbers, counted from 1. tour may be NULL: the cities alone. Sizes as for
   combgpu_tsp_write_tour. Errors: INVALID_ARGUMENT (an instance without coordinates, more than
   5000 cities, no permutation, bytes too small). */
COMBGPU_API combgpu_status combgpu_tsp_to_svg(combgpu_context *ctx,
                                              const combgpu_tsp_instance *instance,
                                              combgpu_tsp_shape shape, const int *tour, char *text,
                                              size_t bytes, size_t *needed);

#ifdef __cplusplus
}
#endif

/* ---- how COMBGPU_PERM_VISITOR expands: here, because callers' files must see it

   The value function is one text for host and CUDA device. OpenCL gets the same body as a string,
   with functions of the same names before it. */
#include <string.h>

#ifdef __CUDACC__
#define COMBGPU__VISITOR_FUNCTION static __host__ __device__ inline
#elif defined(__GNUC__)
#define COMBGPU__VISITOR_FUNCTION static __attribute__((unused, always_inline)) inline
#else
#define COMBGPU__VISITOR_FUNCTION static inline
#endif

/* For visitors: number i of data that is an array of int32_t, int64_t. */
COMBGPU__VISITOR_FUNCTION int32_t combgpu_data_i32(const unsigned char *data, int i)
{
    int32_t value;
    memcpy(&value, data + 4 * (ptrdiff_t)i, 4);
    return value;
}

COMBGPU__VISITOR_FUNCTION int64_t combgpu_data_i64(const unsigned char *data, int i)
{
    int64_t value;
    memcpy(&value, data + 8 * (ptrdiff_t)i, 8);
    return value;
}

#define COMBGPU__VISITOR_OPENCL                                                                    \
    "#define COMBGPU_VISITOR 1\n"                                                                  \
    "#define int8_t char\n"                                                                        \
    "#define int16_t short\n"                                                                      \
    "#define int32_t int\n"                                                                        \
    "#define int64_t long\n"                                                                       \
    "#define uint8_t uchar\n"                                                                      \
    "#define uint16_t ushort\n"                                                                    \
    "#define uint32_t uint\n"                                                                      \
    "#define uint64_t ulong\n"                                                                     \
    "static inline int combgpu_data_i32(__global const uchar *data, int i)\n"                      \
    "{ return ((__global const int *)data)[i]; }\n"                                                \
    "static inline long combgpu_data_i64(__global const uchar *data, int i)\n"                     \
    "{ return as_long(vload2((size_t)i, (__global const int *)data)); }\n"                         \
    "static inline long combgpu_visit(const uchar *perm, int n, __global const uchar *data)\n"

#if defined(COMBGPU_CUDA) && defined(__CUDACC__)
#include "combgpu_kernels.cl"
#define COMBGPU__VISITOR_CUDA_FUNCTOR(NAME)                                                        \
    struct NAME##_functor {                                                                        \
        static __device__ __forceinline__ long long visit(const unsigned char *perm, int n,        \
                                                          const unsigned char *data)               \
        {                                                                                          \
            return NAME##_value(perm, n, data);                                                    \
        }                                                                                          \
    };
#define COMBGPU__VISITOR_CUDA_KERNEL(NAME)                                                         \
    reinterpret_cast<const void *>(&combgpu_perm_visit<NAME##_functor>)
#else
#define COMBGPU__VISITOR_CUDA_FUNCTOR(NAME)
#define COMBGPU__VISITOR_CUDA_KERNEL(NAME) NULL
#endif

#define COMBGPU__VISITOR_VALUES(NAME, N)                                                           \
    case N:                                                                                        \
        for (i = 0; i < count; i++, perms += N)                                                    \
            values[i] = NAME##_value(perms, N, data);                                              \
        break;

/* 720 permutations in columns: a loop over them becomes SIMD once perm[] is in registers, and what
   depends on the head alone leaves the loop (n = 12, one core, against next_permutation and a call:
   10 to 30 times as fast). gcc needs every store to perm[] to be a plain one, and -O3. */
#if defined(__GNUC__) && !defined(__clang__) /* clang warns where a loop cannot be SIMD */
#define COMBGPU__VISITOR_LOOP _Pragma("GCC ivdep")
#else
#define COMBGPU__VISITOR_LOOP
#endif
#define COMBGPU__VISITOR_GROUP_LOOP(NAME, N, STORE)                                                \
    COMBGPU__VISITOR_LOOP                                                                          \
    for (j = 0; j < 720; j++) {                                                                    \
        unsigned char p[N];                                                                        \
        int k;                                                                                     \
        for (k = 0; k < N - 6; k++)                                                                \
            p[k] = h[k];                                                                           \
        p[N - 6] = columns[j];                                                                     \
        p[N - 5] = columns[720 + j];                                                               \
        p[N - 4] = columns[1440 + j];                                                              \
        p[N - 3] = columns[2160 + j];                                                              \
        p[N - 2] = columns[2880 + j];                                                              \
        p[N - 1] = columns[3600 + j];                                                              \
        STORE;                                                                                     \
    }
#define COMBGPU__VISITOR_GROUP(NAME, N)                                                            \
    case N:                                                                                        \
        if (hits) {                                                                                \
            COMBGPU__VISITOR_GROUP_LOOP(NAME, N, hits[j] = NAME##_value(p, N, data) != 0)          \
        } else {                                                                                   \
            COMBGPU__VISITOR_GROUP_LOOP(NAME, N, values[j] = NAME##_value(p, N, data))             \
        }                                                                                          \
        return 1;

#define COMBGPU__PERM_VISITOR(NAME, ...)                                                           \
    COMBGPU__VISITOR_FUNCTION int64_t NAME##_value(const unsigned char *perm, int n,               \
                                                   const unsigned char *data)                      \
    {                                                                                              \
        (void)perm, (void)n, (void)data;                                                           \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    static void NAME##_values(const unsigned char *perms, int n, const unsigned char *data,        \
                              int count, int64_t *values)                                          \
    {                                                                                              \
        int i;                                                                                     \
        switch (n) { /* with n known to the compiler: up to twice as fast */                       \
            COMBGPU__VISITOR_VALUES(NAME, 10)                                                      \
            COMBGPU__VISITOR_VALUES(NAME, 11)                                                      \
            COMBGPU__VISITOR_VALUES(NAME, 12)                                                      \
            COMBGPU__VISITOR_VALUES(NAME, 13)                                                      \
        default:                                                                                   \
            for (i = 0; i < count; i++, perms += n)                                                \
                values[i] = NAME##_value(perms, n, data);                                          \
        }                                                                                          \
    }                                                                                              \
    static int NAME##_group(const unsigned char *head, int n, const unsigned char *columns,        \
                            const unsigned char *data, int64_t *values, unsigned char *hits)       \
    {                                                                                              \
        unsigned char h[16];                                                                       \
        int j;                                                                                     \
        for (j = 0; j < 16; j++)                                                                   \
            h[j] = j < n - 6 ? head[j] : 0;                                                        \
        switch (n) {                                                                               \
            COMBGPU__VISITOR_GROUP(NAME, 9)                                                        \
            COMBGPU__VISITOR_GROUP(NAME, 10)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 11)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 12)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 13)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 14)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 15)                                                       \
        default:                                                                                   \
            return 0;                                                                              \
        }                                                                                          \
    }                                                                                              \
    COMBGPU__VISITOR_CUDA_FUNCTOR(NAME)                                                            \
    static const combgpu_perm_visitor NAME = {#NAME,                                               \
                                              NAME##_value,                                        \
                                              NAME##_values,                                       \
                                              COMBGPU__VISITOR_OPENCL "#line 1 \"" #NAME           \
                                                                      "\"\n{" #__VA_ARGS__ "}\n",  \
                                              COMBGPU__VISITOR_CUDA_KERNEL(NAME),                  \
                                              NAME##_group};

#endif /* COMBGPU_H */

/* ################################################################################################
   ##  IMPLEMENTATION
   ################################################################################################
 */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(COMBGPU__IMPLEMENTED)
#define COMBGPU__IMPLEMENTED

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__)
#include <immintrin.h>
#endif
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#if !defined(COMBGPU_NO_STDIO) && (defined(__unix__) || defined(__APPLE__))
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if !defined(COMBGPU_NO_SIMD) && !defined(__CUDACC__) /* nvcc cannot read every compiler's */
#if defined(__AVX512BW__)
#define COMBGPU__VECTOR 64 /* bytes */
#elif defined(__AVX2__)
#define COMBGPU__VECTOR 32
#elif defined(__SSSE3__) || (defined(__ARM_NEON) && defined(__aarch64__))
#define COMBGPU__VECTOR 16
#endif
#endif
#if defined(COMBGPU__VECTOR) && defined(__SSSE3__)
#include <immintrin.h>
#elif defined(COMBGPU__VECTOR)
#include <arm_neon.h>
#endif

/* A definition of a public function; static with COMBGPU_STATIC. Private functions are static, and
   may stay unused in a build that leaves a backend out. */
#ifdef COMBGPU_STATIC
#define COMBGPU__DEF COMBGPU_API
#elif defined(__cplusplus)
#define COMBGPU__DEF extern "C"
#else
#define COMBGPU__DEF
#endif
#ifdef __GNUC__
#define COMBGPU__PRIVATE static __attribute__((unused))
#define COMBGPU__PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define COMBGPU__PRIVATE static
#define COMBGPU__PRINTF(format_at, args_at)
#endif

/* ---- what the layers know of each other: engine <-> problem <-> backend */

/* The control block of a slice: one struct for host, C solvers and kernels (combgpu_kernels.cl has
   its twin). 32-bit words only, so that every dialect has atomics on them. */
#define COMBGPU__TOTALS 16
#define COMBGPU__STOP_NOW 1u    /* the record buffer is full */
#define COMBGPU__STOP_HUNGRY 2u /* a quarter of the workers have found no task */
#define COMBGPU__STOP_OTHER 4u  /* another device waits for the host */
#define COMBGPU__STOP_ENOUGH (COMBGPU__STOP_NOW | COMBGPU__STOP_OTHER) /* says nothing of budgets */
typedef struct combgpu__slice {
    uint32_t task_count; /* tasks in the pool */
    uint32_t task_next;  /* atomic: the first task that nobody has taken */
    uint32_t left_count; /* atomic: left-over tasks given back */
    uint32_t left_capacity;
    uint32_t record_count; /* atomic: records emitted; may run past the capacity */
    uint32_t record_capacity;
    uint32_t budget; /* steps that one worker may take in this slice */
    uint32_t stop;   /* COMBGPU__STOP_*: give back what you hold and end */
    uint32_t workers;
    uint32_t task_words; /* 32-bit words in a task */
    uint32_t record_words;
    uint32_t
        area_next;  /* atomic: where output goes in the shared work memory, if a kernel has it */
    uint32_t least; /* steps to take before COMBGPU__STOP_HUNGRY counts */
    uint32_t blocks_done; /* for a kernel whose last block has something left to do */
    uint32_t reserved[2];
    uint32_t totals[2 * COMBGPU__TOTALS]; /* 64-bit sums as low, high; totals 0 = steps */
} combgpu__slice;

/* When a CPU thread last looked whether another device waits for the host. */
typedef struct combgpu__looks {
    uint32_t calls;
    double next;
} combgpu__looks;

/* A worker: one CPU thread's view of a slice. A C solver takes tasks until combgpu__take returns
   NULL, adds to totals, emits records, and gives back its search stack as tasks once
   combgpu__spent(worker). A GPU worker is a group of lanes that does the same. */
typedef struct combgpu__worker {
    combgpu_job *job; /* its `state` is for reading only */
    combgpu__slice *slice;
    const uint32_t *tables, *tasks;
    uint32_t *left, *records, *work;
    uint32_t index;                   /* 0 .. slice->workers-1 */
    combgpu__looks *looks;            /* not NULL: looks after the other devices now and then */
    uint64_t totals[COMBGPU__TOTALS]; /* totals[0] = steps: compared with the budget */
} combgpu__worker;

/* One search step in its two forms. */
typedef struct combgpu__kernel {
    const char *name; /* entry point in combgpu_kernels.cl; NULL = C alone, runs on the CPU */
    const char *part; /* which part of that file: "MAGIC" -> COMBGPU_KERNELS_MAGIC */
    void (*solve)(combgpu__worker *worker);
    int lanes_per_worker;      /* lanes that share one task; a power of 2, at most 256 */
    int lanes_per_block;       /* preferred block (work-group) size, a multiple of the above */
    int left_per_worker;       /* the most tasks that a worker can give back in a slice */
    uint32_t first_budget;     /* budget of the first slice, before anything is measured */
    const char *opencl_source; /* put before the kernel text: a caller's function; NULL = none */
    const void *cuda_function; /* launch this instead of looking up `name`; NULL = look up */
} combgpu__kernel;

typedef struct combgpu__share combgpu__share; /* a device at work for a job */

/* What the engine knows of a search. Tasks and records are arrays of 32-bit words. */
typedef struct combgpu__problem {
    const char *name;
    /* Pushes all tasks with combgpu__push, in an order that depends on the parameters alone. */
    combgpu_status (*frontier)(combgpu_job *job);
    /* A record came back. RUNNING = go on, STOPPED, FOUND, or an error. Each record comes once. */
    combgpu_status (*record)(combgpu_job *job, const uint32_t *record);
    /* After each slice, before its records; may be NULL. The share's work memory is as the kernel
       left it. */
    combgpu_status (*slice_done)(combgpu_job *job, const combgpu__share *share);
    /* Part of the search done, 0..1; NULL = the engine estimates it from the frontier. */
    double (*fraction)(const combgpu_job *job);
    /* Solutions so far, for progress; NULL = none to report. */
    uint64_t (*solutions)(const combgpu_job *job);
    /* A task and a record from a checkpoint, untrusted: 0 = no such one can exist in this job. */
    int (*adopt_task)(combgpu_job *job, uint32_t *task);
    int (*adopt_record)(combgpu_job *job, const uint32_t *record);
    /* Frees what the state owns; may be NULL. Also called for a job whose begin failed. */
    void (*release)(combgpu_job *job);
} combgpu__problem;

/* Device memory. */
typedef struct combgpu__memory {
    void *handle;
    size_t bytes;
} combgpu__memory;

/* One launch of a slice. */
typedef struct combgpu__launch {
    const combgpu__kernel *kernel;
    void *program;    /* what the backend's prepare returned */
    combgpu_job *job; /* for C solvers */
    uint32_t workers;
    combgpu__memory *control, *tables, *tasks, *left, *records, *work;
    double seconds;        /* time inside the kernel, once it has ended */
    combgpu_status status; /* what poll returned last */
} combgpu__launch;

/* A backend. All functions set the context's message when they fail. */
typedef struct combgpu__backend {
    combgpu_backend id;
    const char *name;
    /* Writes up to capacity devices, returns how many exist. */
    int (*devices)(combgpu_device *devices, int capacity);
    /* Opens device ctx->desc.device: fills ctx->device, ctx->free_bytes, ctx->handle. If there is no
       device at all, NO_DEVICE with the reason. */
    combgpu_status (*open)(combgpu_context *ctx);
    void (*close)(combgpu_context *ctx);
    /* Builds or finds a kernel; *workers gets how many workers fill the device. */
    combgpu_status (*prepare)(combgpu_context *ctx, const combgpu__kernel *kernel, void **program,
                              uint32_t *workers);
    void (*forget)(combgpu_context *ctx, void *program);
    combgpu_status (*allocate)(combgpu_context *ctx, size_t bytes, combgpu__memory *memory);
    void (*release)(combgpu_context *ctx, combgpu__memory *memory);
    combgpu_status (*upload)(combgpu_context *ctx, combgpu__memory *to, size_t offset,
                             const void *from, size_t bytes);
    combgpu_status (*download)(combgpu_context *ctx, void *to, const combgpu__memory *from,
                               size_t offset, size_t bytes);
    combgpu_status (*copy)(combgpu_context *ctx, combgpu__memory *to, size_t to_offset,
                           const combgpu__memory *from, size_t from_offset, size_t bytes);
    /* Starts a slice and returns; the CPU does it all at once. A program has one slice at a time. */
    combgpu_status (*start)(combgpu_context *ctx, combgpu__launch *launch);
    /* RUNNING, or OK with launch->seconds set. Not called again after that. */
    combgpu_status (*poll)(combgpu_context *ctx, combgpu__launch *launch);
    /* Checks memory of the caller's, makes the device wait for its queue, and fills `to` (never to be
       released); *shift gets the bytes by which `to` lies before memory + offset. */
    combgpu_status (*adopt)(combgpu_context *ctx, const combgpu_device_memory *from,
                            combgpu__memory *to, size_t *shift);
    combgpu_status (*fill)(combgpu_context *ctx, combgpu__memory *memory, size_t offset, int value,
                           size_t bytes, double *seconds);
} combgpu__backend;

struct combgpu_context {
    combgpu_context_desc desc;
    const combgpu__backend *backend;
    void *handle; /* the backend's */
    combgpu_device device;
    uint64_t free_bytes; /* device memory that may be used */
    int lost;            /* COMBGPU__LOST, _HUNG: no job uses it any more */
    /* the devices after the first: each has a context of its own, without others */
    combgpu_context *others[COMBGPU_MAX_DEVICES - 1];
    int other_count;
    uint32_t
        *magic_index; /* order 5: squares up to the M-group by pair of diagonals; NULL = unknown */
    int magic_index_centre;
    char message[512];
};

/* A device at work for a job, with its share of the tasks. */
enum { COMBGPU__LOST = 1, COMBGPU__HUNG = 2 };
enum {
    COMBGPU__CONTROL,
    COMBGPU__TABLES,
    COMBGPU__POOL,
    COMBGPU__LEFT, /* what a slice gives back; then the two change places */
    COMBGPU__RECORDS,
    COMBGPU__WORK
};
struct combgpu__share {
    combgpu_context *ctx;            /* the job's, or one of its others */
    const combgpu__backend *backend; /* the context's; the CPU's if the kernel has no other form */
    void *program;
    combgpu__memory memory[6];
    uint32_t workers, pool_capacity, pool_count, budget;
    uint64_t fresh; /* of the pool, the frontier's tasks that nobody has begun */
    uint32_t whole; /* of the pool, the last ones: not begun in the last slice */
    int hungry;     /* that slice ended since workers found no task */
    int ready;      /* what is to be released */
    int keeps_work; /* but the work memory, which is the caller's */
    int running;    /* a slice is under way; pool_count is what it began with */
    int lost;       /* COMBGPU__LOST, _HUNG: not used any more */
    double began;   /* of the slice */
    double speed;   /* steps per second, smoothed; 0 = not known */
    double seconds; /* inside kernels */
    uint64_t steps, slices, errors, verified, mismatches;
    uint32_t verify_size[2]; /* tasks to verify at once: with another device, with the CPU */
    combgpu__launch launch;
};

/* What samples say of the job's steps: see combgpu__outlook_look. */
typedef struct combgpu__outlook {
    double spent, cost, next;       /* seconds: on samples, of a batch, when to look again */
    double weight, steps, variance; /* sums over all looks, by weight, of their estimates */
    double spread, freedom;         /* squares of relative deviations of single samples */
    double shown;                   /* fraction that was reported last */
    uint64_t seed;
    int impossible; /* this search cannot be sampled */
} combgpu__outlook;

/* A running search. Problems use the first part; the rest is the engine's. */
#define COMBGPU__SUMS 4352 /* a histogram is in them */
struct combgpu_job {
    combgpu_context *ctx;
    const combgpu__problem *problem;
    combgpu__kernel kernel;             /* a copy, so that a job may change its form */
    const combgpu__kernel *next_kernel; /* not NULL: the next step goes on with it */
    int moved;                          /* that has happened */
    void *state;      /* the problem's, freed by the engine after problem->release */
    uint32_t *tables; /* constant data for C solvers and kernels; freed by the engine */
    size_t tables_bytes;
    uint32_t task_words, record_words;
    uint32_t record_capacity; /* records that one slice can hold; set before start */
    size_t work_bytes_per_worker, work_bytes_shared; /* shared part first */
    size_t cpu_work_bytes_per_worker;                /* on the CPU; 0 = as elsewhere */
    int left_on_device;  /* kernel.left_per_worker where not the CPU works; 0 = the same */
    uint64_t memory_aim; /* a smaller pool and fewer workers rather than more bytes; 0 = none */
    int one_device;      /* the tasks cannot be shared among devices */
    combgpu__memory caller_work;  /* if set before start, this is the work memory, and is kept */
    int unsteady;                 /* what a task comes to depends on the other tasks */
    int range_tasks;              /* a task is [begin, end), two words each, and may be cut */
    int slice_sums;               /* slice_done adds what the work memory holds to the sums */
    int records_repeat;           /* a task always gives the same records: verify compares them */
    uint64_t sums[COMBGPU__SUMS]; /* everything that the result is made of: totals are added to the
                                     first COMBGPU__TOTALS, problem->record adds to the others */
    char parameters[512]; /* text that identifies the job; two jobs with equal text are equal */
    /* Adds a shard's sums to those of the job; NULL = each of them by itself. */
    void (*merge)(combgpu_job *job, const uint64_t *sums);
    /* The part of the search, above 0 to 1, that the tasks made so far are; NULL = all of it. */
    double (*begun)(const combgpu_job *job);

    combgpu_run_desc run;
    char *checkpoint_path;
    int lock;        /* the lock file, open, + 1; 0 = none */
    int keep_backup; /* the file at checkpoint_path is damaged: it must not become the .bak */
    combgpu_status status;
    uint32_t *reserve; /* stack of tasks on the host */
    size_t reserve_count, reserve_capacity;
    uint64_t frontier_count; /* tasks pushed, all shards */
    uint64_t frontier_mine;  /* this shard's */
    uint64_t fresh_reserve;  /* of it, not yet begun, in the reserve */
    uint32_t *pending;       /* records not yet delivered: [pending_next, pending_count) */
    size_t pending_next, pending_count, pending_capacity;
    combgpu__share *shares;
    combgpu_device_report *reports; /* for progress */
    int share_count;
    uint32_t budget; /* of the first device's next slice; the others have their own */
    combgpu__share checker, *verifying; /* the CPU, to verify; the device that does it */
    uint64_t verify_state;
    combgpu_status broken; /* what the next round fails with */
    uint64_t checkpoints, checkpoint_errors;
    unsigned char *snapshot; /* a checkpoint in memory: where the others go on if a device fails */
    size_t snapshot_bytes;
    double started, earlier_s, device_s, last_progress, last_checkpoint, last_snapshot;
    combgpu__outlook outlook;
    size_t sample_count; /* tasks of the reserve to sample; 0 = all */
    uint64_t steps_at_start, slices;
};

/* ============================================== SECTION 10: memory, messages, hashing, time == */

/* Writes a message to the context and returns the status: `return combgpu__fail(ctx, ...)`. */
COMBGPU__PRIVATE combgpu_status combgpu__fail(combgpu_context *ctx, combgpu_status status,
                                              const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE combgpu_status combgpu__fail(combgpu_context *ctx, combgpu_status status,
                                              const char *format, ...)
{
    va_list args;
    if (!ctx) return status;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    if (ctx->desc.logger.log)
        ctx->desc.logger.log(COMBGPU_LOG_ERROR, ctx->message, ctx->desc.logger.user);
    return status;
}

COMBGPU__PRIVATE void combgpu__log(combgpu_context *ctx, combgpu_log_level level,
                                   const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE void combgpu__log(combgpu_context *ctx, combgpu_log_level level,
                                   const char *format, ...)
{
    char text[512];
    va_list args;
    if (!ctx || !ctx->desc.logger.log) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->desc.logger.log(level, text, ctx->desc.logger.user);
}

/* count * size, or SIZE_MAX if that overflows (which no allocation can satisfy). */
COMBGPU__PRIVATE size_t combgpu__bytes(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return SIZE_MAX;
    return count * size;
}

COMBGPU__PRIVATE void *combgpu__allocate(combgpu_context *ctx, size_t bytes)
{
    if (bytes == SIZE_MAX) return NULL;
    if (!bytes) bytes = 1;
    return ctx->desc.allocator.allocate
               ? ctx->desc.allocator.allocate(bytes, ctx->desc.allocator.user)
               : malloc(bytes);
}

COMBGPU__PRIVATE void *combgpu__allocate_zeroed(combgpu_context *ctx, size_t bytes)
{
    void *memory = combgpu__allocate(ctx, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

COMBGPU__PRIVATE void combgpu__release(combgpu_context *ctx, void *memory)
{
    if (!memory) return;
    if (ctx->desc.allocator.release)
        ctx->desc.allocator.release(memory, ctx->desc.allocator.user);
    else
        free(memory);
}

COMBGPU__PRIVATE combgpu_status combgpu__no_memory(combgpu_context *ctx, size_t bytes)
{
    return combgpu__fail(ctx, COMBGPU_OUT_OF_MEMORY, "out of memory: %llu bytes for the host side",
                         (unsigned long long)bytes);
}

/* Seconds on a clock that never goes back. */
COMBGPU__PRIVATE double combgpu__now(void)
{
#if defined(CLOCK_MONOTONIC)
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#elif defined(_OPENMP)
    return omp_get_wtime();
#else
    return (double)time(NULL);
#endif
}

/* splitmix64's finaliser (S. Vigna): the hash whose sums are the checksums. */
COMBGPU__PRIVATE uint64_t combgpu__mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* FNV-1a-64 (G. Fowler, L. C. Noll, K.-P. Vo); begin with COMBGPU__FNV_OFFSET. */
#define COMBGPU__FNV_OFFSET UINT64_C(14695981039346656037)
COMBGPU__PRIVATE uint64_t combgpu__fnv(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (; bytes; bytes--, p++)
        hash = (hash ^ *p) * UINT64_C(1099511628211);
    return hash;
}

COMBGPU__PRIVATE int combgpu__popcount64(uint64_t x)
{
#ifdef __GNUC__
    return __builtin_popcountll(x);
#else
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
#endif
}

/* Index of the lowest set bit; x is not 0. */
COMBGPU__PRIVATE int combgpu__lowest_bit64(uint64_t x)
{
#ifdef __GNUC__
    return __builtin_ctzll(x);
#else
    int n = 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
#endif
}

/* ---- mathematics that C libraries keep apart in libm: with these, programs link without -lm, and
   distances are the same with every C library */

/* The largest whole number <= x. From 2^52 on every double is whole. */
COMBGPU__PRIVATE double combgpu__floor(double x)
{
    double whole;
    if (!(x > -4503599627370496.0 && x < 4503599627370496.0)) return x;
    whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

COMBGPU__PRIVATE double combgpu__ceil(double x)
{
    return -combgpu__floor(-x);
}

/* Square root, correctly rounded: 54 bits, one after the other as by hand, of which the last one
   rounds (a double's root never lies half way). Infinity and NaN stay; x < 0 gives 0. */
COMBGPU__PRIVATE double combgpu__sqrt(double x)
{
    uint64_t number, root = 0, rest = 0;
    int exponent, bit;
    double fraction;
    if (!(x > 0) || x > 1.7976931348623157e308) return x < 0 ? 0 : x;
    fraction = frexp(x, &exponent);
    if (exponent % 2) {
        fraction /= 2;
        exponent++;
    }
    number = (uint64_t)(fraction * 18014398509481984.0); /* 2^52 <= number < 2^54, exact */
    for (bit = 52; bit >= -54; bit -= 2) {               /* the root of number * 2^54 */
        rest = rest << 2 | (bit >= 0 ? number >> bit & 3 : 0);
        root <<= 1;
        if (rest > 2 * root) {
            rest -= 2 * root + 1;
            root++;
        }
    }
    return ldexp((double)((root >> 1) + (root & 1)), exponent / 2 - 53);
}

/* Sine and cosine of |x| < 1e6, to about the last bit: x less a multiple of pi/2, whose first part
   has so few bits that the product is exact, then Taylor's series for at most pi/4. */
COMBGPU__PRIVATE void combgpu__sine_cosine(double x, double *sine, double *cosine)
{
    double turns = combgpu__floor(x * 0.63661977236758134308 + 0.5);
    double angle = (x - turns * 1.57079632673412561417) - turns * 6.07710050650619224932e-11;
    double square = angle * angle, s = 0, c = 0;
    int k;
    if (!(turns > -1000 && turns < 1000)) turns = angle = square = 0; /* out of the domain */
    for (k = 22; k > 1; k -= 2) {
        s = square / (k * (k + 1)) * (1 - s);
        c = square / (k * (k - 1)) * (1 - c);
    }
    s = angle - angle * s;
    c = 1 - c;
    k = (int)(turns - 4 * combgpu__floor(turns / 4)); /* also for angles that make no sense */
    *sine = k == 0 ? s : k == 1 ? c : k == 2 ? -s : -c;
    *cosine = k == 0 ? c : k == 1 ? -s : k == 2 ? -c : s;
}

COMBGPU__PRIVATE double combgpu__sin(double x)
{
    double sine, cosine;
    combgpu__sine_cosine(x, &sine, &cosine);
    return sine;
}

COMBGPU__PRIVATE double combgpu__cos(double x)
{
    double sine, cosine;
    combgpu__sine_cosine(x, &sine, &cosine);
    return cosine;
}

/* Arc sine of |x| <= 1: its series up to 1/2, half-angle formula above. */
COMBGPU__PRIVATE double combgpu__arc_sine(double x)
{
    double size = x < 0 ? -x : x;
    double z = size > 0.5 ? combgpu__sqrt((1 - size) / 2) : size, s = 0;
    int k;
    for (k = 28; k > 0; k--)
        s = z * z * ((2 * k - 1) * (2 * k - 1)) / (2 * k * (2 * k + 1)) * (1 + s);
    z += z * s;
    if (size > 0.5) z = 1.57079632679489661923 - 2 * z;
    return x < 0 ? -z : z;
}

/* Arc cosine of |x| <= 1; by the half angle where the arc sine is near pi/2. */
COMBGPU__PRIVATE double combgpu__arc_cosine(double x)
{
    if (x > 0.5) return 2 * combgpu__arc_sine(combgpu__sqrt((1 - x) / 2));
    return 1.57079632679489661923 - combgpu__arc_sine(x);
}

/* ---- words */

/* Two words of a task or record as one 64-bit number, low word first. */
COMBGPU__PRIVATE uint64_t combgpu__get64(const uint32_t *words)
{
    return (uint64_t)words[0] | (uint64_t)words[1] << 32;
}

COMBGPU__PRIVATE void combgpu__put64(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

COMBGPU__DEF const char *combgpu_version(void)
{
    return COMBGPU_VERSION_STRING;
}

COMBGPU__DEF const char *combgpu_status_string(combgpu_status status)
{
    switch (status) {
    case COMBGPU_OK:
        return "ok";
    case COMBGPU_FOUND:
        return "found";
    case COMBGPU_STOPPED:
        return "stopped";
    case COMBGPU_RUNNING:
        return "running";
    case COMBGPU_INVALID_ARGUMENT:
        return "invalid argument";
    case COMBGPU_OUT_OF_MEMORY:
        return "out of memory";
    case COMBGPU_DEVICE_OUT_OF_MEMORY:
        return "device out of memory";
    case COMBGPU_NO_DEVICE:
        return "no device";
    case COMBGPU_DEVICE_ERROR:
        return "device error";
    case COMBGPU_FILE_ERROR:
        return "file error";
    case COMBGPU_BAD_FILE:
        return "bad file";
    case COMBGPU_WRONG_JOB:
        return "checkpoint of another job";
    case COMBGPU_UNSUPPORTED:
        return "unsupported";
    case COMBGPU_WRONG_RESULT:
        return "wrong result";
    }
    return "unknown status";
}

COMBGPU__DEF const char *combgpu_backend_string(combgpu_backend backend)
{
    switch (backend) {
    case COMBGPU_BACKEND_AUTO:
        return "auto";
    case COMBGPU_BACKEND_CPU:
        return "cpu";
    case COMBGPU_BACKEND_CUDA:
        return "cuda";
    case COMBGPU_BACKEND_OPENCL:
        return "opencl";
    }
    return "unknown backend";
}

/* ---- vectors of bytes: the widest that the compiler's options allow (-mssse3, -mavx2,
   -march=native), without them none; COMBGPU_NO_SIMD: none. COMBGPU__LOOKUP takes byte i of a table of
   16 for each byte i < 16; LOOKUP(table, PICK(i, 16 k)) one of a longer table's part k, and 0 for an
   i outside of it; STREAM goes past the caches where there is such a store. */
#ifdef COMBGPU__VECTOR
#if defined(__AVX512BW__)
typedef __m512i combgpu__vector;
#define COMBGPU__LOAD(p) _mm512_loadu_si512((const void *)(p))
#define COMBGPU__STORE(p, x) _mm512_storeu_si512((void *)(p), x)
#define COMBGPU__STREAM(p, x) _mm512_stream_si512((__m512i *)(void *)(p), x)
#define COMBGPU__TABLE(p)                                                                          \
    _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define COMBGPU__LOOKUP(table, i) _mm512_shuffle_epi8(table, i)
#define COMBGPU__OR(x, y) _mm512_or_si512(x, y)
#define COMBGPU__PICK(i, from)                                                                     \
    _mm512_adds_epu8(_mm512_sub_epi8(i, _mm512_set1_epi8(from)), _mm512_set1_epi8(0x70))
#define COMBGPU__FENCE() _mm_sfence()
#elif defined(__AVX2__)
typedef __m256i combgpu__vector;
#define COMBGPU__LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define COMBGPU__STORE(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define COMBGPU__STREAM(p, x) _mm256_stream_si256((__m256i *)(void *)(p), x)
#define COMBGPU__TABLE(p)                                                                          \
    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define COMBGPU__LOOKUP(table, i) _mm256_shuffle_epi8(table, i)
#define COMBGPU__OR(x, y) _mm256_or_si256(x, y)
#define COMBGPU__PICK(i, from)                                                                     \
    _mm256_adds_epu8(_mm256_sub_epi8(i, _mm256_set1_epi8(from)), _mm256_set1_epi8(0x70))
#define COMBGPU__FENCE() _mm_sfence()
#elif defined(__SSSE3__)
typedef __m128i combgpu__vector;
#define COMBGPU__LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define COMBGPU__STORE(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define COMBGPU__STREAM(p, x) _mm_stream_si128((__m128i *)(void *)(p), x)
#define COMBGPU__TABLE(p) COMBGPU__LOAD(p)
#define COMBGPU__LOOKUP(table, i) _mm_shuffle_epi8(table, i)
#define COMBGPU__OR(x, y) _mm_or_si128(x, y)
#define COMBGPU__PICK(i, from)                                                                     \
    _mm_adds_epu8(_mm_sub_epi8(i, _mm_set1_epi8(from)), _mm_set1_epi8(0x70))
#define COMBGPU__FENCE() _mm_sfence()
#else /* NEON: has no stores past the caches */
typedef uint8x16_t combgpu__vector;
#define COMBGPU__LOAD(p) vld1q_u8((const uint8_t *)(p))
#define COMBGPU__STORE(p, x) vst1q_u8((uint8_t *)(p), x)
#define COMBGPU__STREAM(p, x) COMBGPU__STORE(p, x)
#define COMBGPU__TABLE(p) COMBGPU__LOAD(p)
#define COMBGPU__LOOKUP(table, i) vqtbl1q_u8(table, i)
#define COMBGPU__OR(x, y) vorrq_u8(x, y)
#define COMBGPU__PICK(i, from) vsubq_u8(i, vdupq_n_u8(from))
#define COMBGPU__FENCE() ((void)0)
#endif
#endif

/* memset, past the caches if it can: what writing to memory is measured by. */
COMBGPU__PRIVATE void combgpu__fill(unsigned char *to, int value, size_t bytes)
{
#ifdef COMBGPU__VECTOR
    unsigned char some[COMBGPU__VECTOR];
    combgpu__vector x;
    size_t head = (COMBGPU__VECTOR - (size_t)(uintptr_t)to % COMBGPU__VECTOR) % COMBGPU__VECTOR;
    if (bytes >= 4 * COMBGPU__VECTOR) {
        memset(some, value, sizeof some);
        x = COMBGPU__LOAD(some);
        memset(to, value, head);
        to += head;
        for (bytes -= head; bytes >= COMBGPU__VECTOR; bytes -= COMBGPU__VECTOR) {
            COMBGPU__STREAM(to, x);
            to += COMBGPU__VECTOR;
        }
        COMBGPU__FENCE();
    }
#endif
    memset(to, value, bytes);
}

/* =================================================================== SECTION 11: the engine == */
/* A search is a pool of independent tasks and sums that add up. A job keeps tasks in three places:
   `reserve` (a stack on the host), a pool on each device, and, during a slice, the other half of that
   pool, which receives left-over tasks. One step of a job is a round:

     feed     move tasks from the reserve to the end of a device's pool, as many as its speed deserves
     start    every worker takes tasks from the front until its budget of steps is used up, then
              gives back its whole search stack as tasks. The devices work side by side
     collect  when the first one has ended: add the totals, fetch the records; left-over tasks come
              first in its next pool (they are the deep, small ones: this keeps the pool small), then
              those nobody began. If another device has run dry, the last ones go to the reserve
     deliver  hand each record to the problem, which classifies it and calls the caller

   One thread serves all devices; a CPU among them ends its slice when another device waits. What a
   slice did counts once it is collected, and a device never changes the tasks that a slice began
   with, so a checkpoint, a stop or a shard is exact. If a device fails, its memory is lost: the job
   goes on from the last snapshot (a checkpoint in memory) with the others.

   In this order: a job and its tasks; devices, pool, slice; checkpoints, files, shards merged; what if
   a device fails; verification; rounds; progress from samples; a step; estimates; begin and end. */

/* What problem->record returns for a record that must wait: it and those after it come again after the
   next slice, with that one's records behind them. */
#define COMBGPU__LATER ((combgpu_status)4)
#define COMBGPU__DEFAULT_SLICE_MS 50.0
#define COMBGPU__MAX_SLICE_MS 500.0
/* When a quarter of the workers have found no task, the others split their stacks early, once they
   have done this part of their budget: else a few large sub-trees keep a device idle for a slice. */
#define COMBGPU__HUNGRY_SHARE 16
#define COMBGPU__SLICE_LIMIT_S 60.0

/* Checks the run part of a description. */
COMBGPU__PRIVATE combgpu_status combgpu__check_run(combgpu_context *ctx,
                                                   const combgpu_run_desc *run)
{
    int shards = run->shard_count ? run->shard_count : 1;
    if (run->shard_count < 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_count is %d; it may be 0 (the whole) or more",
                             run->shard_count);
    if (run->shard_index < 0 || run->shard_index >= shards)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_index is %d; with shard_count %d it may be 0 to %d",
                             run->shard_index, run->shard_count, shards - 1);
    if (!(run->time_limit_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.time_limit_s is %g; it may be 0 (no limit) or more",
                             run->time_limit_s);
    if (!(run->slice_ms == 0 || (run->slice_ms >= 1 && run->slice_ms <= COMBGPU__MAX_SLICE_MS)))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.slice_ms is %g; it may be 0 (default) or 1 to %g", run->slice_ms,
                             COMBGPU__MAX_SLICE_MS);
    if (!(run->slice_limit_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.slice_limit_s is %g; it may be 0 (default) or more",
                             run->slice_limit_s);
    if (!(run->verify_share >= 0 && run->verify_share <= 1))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.verify_share is %g; it may be 0 (default, 0.01) to 1",
                             run->verify_share);
    if (!(run->progress_interval_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.progress_interval_s is %g; it may be 0 (default) or more",
                             run->progress_interval_s);
    if (!(run->checkpoint_interval_s >= 0))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.checkpoint_interval_s is %g; it may be 0 (default) or more",
                             run->checkpoint_interval_s);
    if (run->resume && !run->checkpoint_path && !run->resume_data)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume is set, but run.checkpoint_path names no file");
    if (run->checkpoint_path && !*run->checkpoint_path)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.checkpoint_path is empty; it may be NULL (none) or a file");
    if (!run->resume_data && run->resume_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume_data is NULL, but run.resume_bytes is %llu",
                             (unsigned long long)run->resume_bytes);
    if (run->resume_data && !run->resume_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.resume_bytes is 0; it must be the size of run.resume_data");
    if (run->merge_count < 0 || !run->merge_paths != !run->merge_count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.merge_count is %d, and run.merge_paths is %s", run->merge_count,
                             run->merge_paths ? "set" : "NULL");
    if (run->merge_count && (run->shard_count > 1 || run->checkpoint_path || run->resume_data))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.%s is set; shards are merged to the whole, without a checkpoint",
                             run->shard_count > 1   ? "shard_count"
                             : run->checkpoint_path ? "checkpoint_path"
                                                    : "resume_data");
#ifdef COMBGPU_NO_STDIO
    if (run->checkpoint_path || run->merge_paths)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "run.%s is set, but this build (COMBGPU_NO_STDIO) has no files; use "
                             "combgpu_save",
                             run->checkpoint_path ? "checkpoint_path" : "merge_paths");
#endif
    return COMBGPU_OK;
}

/* Makes an empty job with a zeroed state. The problem then sets kernel, tables, task_words,
   record_words, record_capacity, work_bytes_* and parameters, and calls combgpu__job_start. */
COMBGPU__PRIVATE combgpu_status combgpu__job_create(combgpu_context *ctx,
                                                    const combgpu__problem *problem,
                                                    size_t state_bytes, const combgpu_run_desc *run,
                                                    combgpu_job **out)
{
    combgpu_job *job;
    combgpu_status status;
    *out = NULL;
    if (!ctx->backend)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the context is not open: combgpu_open failed");
    ctx->message[0] = 0;
    status = combgpu__check_run(ctx, run);
    if (status) return status;
    job = (combgpu_job *)combgpu__allocate_zeroed(ctx, sizeof *job);
    if (!job) return combgpu__no_memory(ctx, sizeof *job);
    job->ctx = ctx;
    job->problem = problem;
    job->run = *run;
    job->status = COMBGPU_RUNNING;
    job->started = job->last_progress = job->last_checkpoint = combgpu__now();
    job->state = combgpu__allocate_zeroed(ctx, state_bytes);
    if (run->checkpoint_path) {
        size_t bytes = strlen(run->checkpoint_path) + 1;
        job->checkpoint_path = (char *)combgpu__allocate(ctx, bytes);
        if (job->checkpoint_path) memcpy(job->checkpoint_path, run->checkpoint_path, bytes);
    }
    job->run.checkpoint_path = job->checkpoint_path;
    if (!job->state || (run->checkpoint_path && !job->checkpoint_path)) {
        combgpu_job_cancel(job);
        return combgpu__no_memory(ctx, state_bytes);
    }
    *out = job;
    return COMBGPU_OK;
}

/* Allocates job->tables, zeroed. */
COMBGPU__PRIVATE combgpu_status combgpu__job_tables(combgpu_job *job, size_t words)
{
    size_t bytes = combgpu__bytes(words, sizeof(uint32_t));
    job->tables = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!job->tables) return combgpu__no_memory(job->ctx, bytes);
    memset(job->tables, 0, bytes);
    job->tables_bytes = bytes;
    return COMBGPU_OK;
}

/* Makes room for `more` tasks on the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__reserve_room(combgpu_job *job, size_t more)
{
    size_t capacity = job->reserve_capacity, bytes;
    uint32_t *grown;
    if (more > SIZE_MAX / 2 - job->reserve_count) return combgpu__no_memory(job->ctx, SIZE_MAX);
    if (job->reserve_count + more <= capacity) return COMBGPU_OK;
    if (capacity < 64) capacity = 64;
    while (capacity < job->reserve_count + more)
        capacity *= 2;
    bytes = combgpu__bytes(capacity, job->task_words * sizeof(uint32_t));
    grown = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!grown) return combgpu__no_memory(job->ctx, bytes);
    if (job->reserve_count)
        memcpy(grown, job->reserve, job->reserve_count * job->task_words * sizeof(uint32_t));
    combgpu__release(job->ctx, job->reserve);
    job->reserve = grown;
    job->reserve_capacity = capacity;
    return COMBGPU_OK;
}

/* For problem->frontier: one task. Keeps it if it is this shard's. */
COMBGPU__PRIVATE combgpu_status combgpu__push(combgpu_job *job, const uint32_t *task)
{
    uint64_t shards = job->run.shard_count > 1 ? (uint64_t)job->run.shard_count : 1;
    uint64_t number = job->frontier_count++;
    combgpu_status status;
    if (number % shards != (uint64_t)job->run.shard_index) return COMBGPU_OK;
    status = combgpu__reserve_room(job, 1);
    if (status) return status;
    memcpy(job->reserve + job->reserve_count * job->task_words, task,
           job->task_words * sizeof(uint32_t));
    job->reserve_count++;
    job->frontier_mine++;
    job->fresh_reserve++;
    return COMBGPU_OK;
}

/* For problems whose tasks are ranges [begin, end) of 64-bit numbers, four words: pushes [begin,
   end) in equal pieces, the last one shorter. */
COMBGPU__PRIVATE combgpu_status combgpu__push_range(combgpu_job *job, uint64_t begin, uint64_t end,
                                                    uint64_t pieces)
{
    uint64_t total = end - begin, size = total / pieces + (total % pieces != 0);
    combgpu_status status = COMBGPU_OK;
    while (begin < end && !status) {
        uint32_t task[4];
        uint64_t stop = end - begin > size ? begin + size : end;
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, stop);
        status = combgpu__push(job, task);
        begin = stop;
    }
    return status;
}

/* What the job's sums were are now `sums`, and the other way round. */
COMBGPU__PRIVATE void combgpu__swap_sums(combgpu_job *job, uint64_t *sums)
{
    int i;
    for (i = 0; i < COMBGPU__SUMS; i++) {
        uint64_t kept = job->sums[i];
        job->sums[i] = sums[i];
        sums[i] = kept;
    }
}

/* Adds what another part of the search came to. */
COMBGPU__PRIVATE void combgpu__add_sums(combgpu_job *job, uint64_t *to, const uint64_t *from)
{
    int i;
    for (i = 0; i < COMBGPU__SUMS && !job->merge; i++)
        to[i] += from[i];
    if (!job->merge) return;
    if (to != job->sums) combgpu__swap_sums(job, to);
    job->merge(job, from);
    if (to != job->sums) combgpu__swap_sums(job, to);
}

/* ---- for C solvers */

/* Has another device ended its slice? Then this one ends early, since the host does both. */
COMBGPU__PRIVATE void combgpu__look(const combgpu__worker *worker);

COMBGPU__PRIVATE int combgpu__spent(const combgpu__worker *worker)
{
    uint32_t stop;
#ifdef _OPENMP
#pragma omp atomic read
#endif
    stop = worker->slice->stop;
    if (worker->looks && (++worker->looks->calls & 63) == 0) combgpu__look(worker);
    return worker->totals[0] >= (stop ? worker->slice->least : worker->slice->budget) ||
           (stop & COMBGPU__STOP_NOW);
}

/* The next task, or NULL if there is none or the budget is used up. */
COMBGPU__PRIVATE const uint32_t *combgpu__take(combgpu__worker *worker)
{
    combgpu__slice *slice = worker->slice;
    uint32_t next;
    if (combgpu__spent(worker)) return NULL;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    next = slice->task_next++;
    if (next >= slice->task_count) {
        if (next - slice->task_count == slice->workers / 4) {
#ifdef _OPENMP
#pragma omp atomic
#endif
            slice->stop |= COMBGPU__STOP_HUNGRY;
        }
        return NULL;
    }
    return worker->tasks + (size_t)next * slice->task_words;
}

/* Gives back a task, at most kernel.left_per_worker in a slice. */
COMBGPU__PRIVATE void combgpu__give(combgpu__worker *worker, const uint32_t *task)
{
    combgpu__slice *slice = worker->slice;
    uint32_t at;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    at = slice->left_count++;
    if (at < slice->left_capacity) /* always: the engine left room for all */
        memcpy(worker->left + (size_t)at * slice->task_words, task,
               slice->task_words * sizeof(uint32_t));
}

/* Stores a record and returns 1, or returns 0 if the buffer is full: then the solver must not count
   it, but give back a task that finds it again (the slice ends for all workers). */
COMBGPU__PRIVATE int combgpu__emit(combgpu__worker *worker, const uint32_t *record)
{
    combgpu__slice *slice = worker->slice;
    uint32_t at;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    at = slice->record_count++;
    if (at >= slice->record_capacity) {
#ifdef _OPENMP
#pragma omp atomic
#endif
        slice->stop |= COMBGPU__STOP_NOW;
        return 0;
    }
    memcpy(worker->records + (size_t)at * slice->record_words, record,
           slice->record_words * sizeof(uint32_t));
    return 1;
}

/* ---- the devices of a job: each has a share of the pool in its own memory */

COMBGPU__PRIVATE combgpu_status combgpu__slice_wait(combgpu_job *job, combgpu__share *share);
COMBGPU__PRIVATE combgpu_status combgpu__share_done(combgpu_job *job, combgpu__share *share);
COMBGPU__PRIVATE const combgpu__backend *combgpu__backend_of(combgpu_backend id);

/* "cuda device 1 (NVIDIA H200)", for messages. */
typedef struct combgpu__text {
    char text[192];
} combgpu__text;
COMBGPU__PRIVATE combgpu__text combgpu__share_name(const combgpu__share *share)
{
    combgpu__text name;
    if (share->backend->id == COMBGPU_BACKEND_CPU)
        snprintf(name.text, sizeof name.text, "cpu");
    else
        snprintf(name.text, sizeof name.text, "%s device %d (%.127s)", share->backend->name,
                 share->ctx->device.index, share->ctx->device.name);
    return name;
}

/* Tasks that wait, here and on the devices; those of a slice that runs are counted as it began. */
COMBGPU__PRIVATE uint64_t combgpu__tasks_left(const combgpu_job *job)
{
    uint64_t count = job->reserve_count;
    int i;
    for (i = 0; i < job->share_count; i++)
        count += job->shares[i].pool_count;
    return count;
}

/* Of the frontier's tasks, those that nobody has begun. */
COMBGPU__PRIVATE uint64_t combgpu__tasks_fresh(const combgpu_job *job)
{
    uint64_t count = job->fresh_reserve;
    int i;
    for (i = 0; i < job->share_count; i++)
        count += job->shares[i].fresh;
    return count;
}

/* The most tasks that a worker gives back in a slice. */
COMBGPU__PRIVATE uint32_t combgpu__left_each(const combgpu_job *job, const combgpu__share *share)
{
    int on_device = share->backend->id != COMBGPU_BACKEND_CPU && job->left_on_device;
    return (uint32_t)(on_device ? job->left_on_device : job->kernel.left_per_worker);
}

/* Room for all that a slice can give back. */
COMBGPU__PRIVATE uint32_t combgpu__left_room(const combgpu_job *job, const combgpu__share *share)
{
    return share->workers * combgpu__left_each(job, share);
}

/* Chooses the pool's size: fewer workers rather than more memory than there may be. */
COMBGPU__PRIVATE combgpu_status combgpu__share_size(combgpu_job *job, combgpu__share *share,
                                                    size_t bytes[6])
{
    combgpu_context *ctx = share->ctx;
    size_t task_bytes = job->task_words * sizeof(uint32_t), per_worker = job->work_bytes_per_worker;
    uint64_t limit = share->backend != ctx->backend ? 0 /* it is the device's, not the host's */
                     : ctx->desc.memory_limit       ? ctx->desc.memory_limit
                                                    : ctx->free_bytes / 2;
    uint64_t left, feed, need, room;
    int fits, tight = 0;
    if (share->backend->id == COMBGPU_BACKEND_CPU && job->cpu_work_bytes_per_worker)
        per_worker = job->cpu_work_bytes_per_worker;
    bytes[4] = combgpu__bytes(job->record_capacity, job->record_words * sizeof(uint32_t));
    for (;;) {
        left = (uint64_t)share->workers * combgpu__left_each(job, share);
        feed = (uint64_t)share->workers * (tight ? 2 : 8);
        if (feed < 1024) feed = 1024;
        room = left + (tight ? left / 4 : left) + feed;
        need = 2 * room * task_bytes + job->tables_bytes + bytes[4] +
               (uint64_t)share->workers * per_worker + job->work_bytes_shared;
        fits = room <= UINT32_MAX && need <= SIZE_MAX / 2 && (!limit || need <= limit);
        if (fits && (!job->memory_aim || need <= job->memory_aim)) break;
        if (share->workers == 1) break;
        if (job->memory_aim && !tight)
            tight = 1; /* a smaller pool, of which more is moved to the host */
        else
            share->workers = job->memory_aim ? (uint32_t)((uint64_t)share->workers * 7 / 8)
                                             : (share->workers + 1) / 2;
    }
    if (!fits)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY,
                             "the search needs %llu bytes on the device and may use %llu "
                             "(memory_limit, or half of what is free)",
                             (unsigned long long)need,
                             (unsigned long long)(limit ? limit : SIZE_MAX / 2));
    share->pool_capacity = (uint32_t)room;
    bytes[0] = sizeof(combgpu__slice);
    bytes[1] = job->tables_bytes;
    bytes[2] = bytes[3] = combgpu__bytes(share->pool_capacity, task_bytes);
    bytes[5] = (size_t)share->workers * per_worker + job->work_bytes_shared;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__share_release(combgpu__share *share)
{
    int i;
    for (i = 0; i < 6 && share->lost != COMBGPU__HUNG; i++) { /* a hung device never answers */
        if (i != COMBGPU__WORK || !share->keeps_work)
            share->backend->release(share->ctx, &share->memory[i]);
        share->memory[i].handle = NULL;
    }
}

/* Allocates a share's device memory. Where there is too little, the pool shrinks with the number of
   workers. */
COMBGPU__PRIVATE combgpu_status combgpu__share_allocate(combgpu_job *job, combgpu__share *share)
{
    size_t bytes[6];
    combgpu_status status;
    int i;
    for (;;) {
        status = combgpu__share_size(job, share, bytes);
        if (status) return status;
        for (i = 0; i < 6 && !status; i++)
            if (i == COMBGPU__WORK && job->caller_work.handle) {
                share->memory[i] = job->caller_work;
                share->keeps_work = 1;
            } else
                status = share->backend->allocate(share->ctx, bytes[i], &share->memory[i]);
        if (status != COMBGPU_DEVICE_OUT_OF_MEMORY || share->workers == 1) break;
        combgpu__share_release(share);
        share->workers = (share->workers + 1) / 2;
        combgpu__log(share->ctx, COMBGPU_LOG_WARNING, "%s: out of memory: going on with %u workers",
                     combgpu__share_name(share).text, share->workers);
        share->ctx->message[0] = 0;
    }
    if (!status && job->tables_bytes)
        status = share->backend->upload(share->ctx, &share->memory[COMBGPU__TABLES], 0, job->tables,
                                        job->tables_bytes);
    return status;
}

/* Makes a device ready for the job: builds the kernel, allocates. */
COMBGPU__PRIVATE combgpu_status combgpu__share_open(combgpu_job *job, combgpu__share *share,
                                                    combgpu_context *ctx,
                                                    const combgpu__backend *backend)
{
    combgpu_status status;
    share->ctx = ctx;
    share->backend = backend;
    status = backend->prepare(ctx, &job->kernel, &share->program, &share->workers);
    if (status) return status;
    share->ready = 1;
    share->budget = job->kernel.first_budget ? job->kernel.first_budget : 256;
    return combgpu__share_allocate(job, share);
}

/* Waits until a running slice has ended, whatever became of it. */
COMBGPU__PRIVATE void combgpu__share_close(combgpu_job *job, combgpu__share *share)
{
    if (!share->backend) return;
    if (share->running) (void)combgpu__slice_wait(job, share);
    if (share->ready) combgpu__share_release(share);
    if (share->program && share->lost != COMBGPU__HUNG)
        share->backend->forget(share->ctx, share->program);
    memset(share, 0, sizeof *share);
}

/* Room for `more` records behind those that wait for delivery. */
COMBGPU__PRIVATE combgpu_status combgpu__pending_room(combgpu_job *job, size_t more)
{
    size_t waiting = job->pending_count - job->pending_next, bytes;
    size_t words = job->record_words;
    uint32_t *grown;
    if (job->pending_next && waiting) /* often there are none */
        memmove(job->pending, job->pending + job->pending_next * words,
                waiting * words * sizeof(uint32_t));
    job->pending_next = 0;
    job->pending_count = waiting;
    if (waiting + more <= job->pending_capacity) return COMBGPU_OK;
    bytes = combgpu__bytes(waiting + more, words * sizeof(uint32_t));
    grown = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!grown) return combgpu__no_memory(job->ctx, bytes);
    if (waiting) memcpy(grown, job->pending, waiting * words * sizeof(uint32_t));
    combgpu__release(job->ctx, job->pending);
    job->pending = grown;
    job->pending_capacity = waiting + more;
    return COMBGPU_OK;
}

/* Can and shall the job be verified? */
COMBGPU__PRIVATE int combgpu__verifies(const combgpu_job *job)
{
    return job->run.verify && !job->one_device && !job->unsteady;
}

/* For what the host keeps of each worker. */
COMBGPU__PRIVATE uint32_t combgpu__most_workers(const combgpu_job *job)
{
    uint32_t most = job->checker.workers;
    int i;
    for (i = 0; i < job->share_count; i++)
        if (job->shares[i].workers > most) most = job->shares[i].workers;
    return most;
}

/* Opens the job's devices: all of the context's, or the first alone. */
COMBGPU__PRIVATE combgpu_status combgpu__job_devices(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    int only = job->one_device || !job->kernel.name, i;
    int count = only ? 1 : 1 + ctx->other_count;
    size_t bytes = (size_t)count * sizeof *job->shares;
    combgpu_status status = COMBGPU_OK, failed = COMBGPU_OK;
    if (job->record_capacity < 1) job->record_capacity = 1;
    job->shares = (combgpu__share *)combgpu__allocate_zeroed(ctx, bytes);
    job->reports = (combgpu_device_report *)combgpu__allocate_zeroed(ctx, (size_t)count *
                                                                              sizeof *job->reports);
    if (!job->shares || !job->reports) return combgpu__no_memory(ctx, bytes);
    if (only && ctx->other_count)
        combgpu__log(ctx, COMBGPU_LOG_INFO,
                     "%s: this search uses one device; the other %d have no part in it",
                     job->problem->name, ctx->other_count);
    for (i = 0; i < count && !status; i++) {
        combgpu_context *member = i ? ctx->others[i - 1] : ctx;
        combgpu__share *share = &job->shares[job->share_count];
        if (member->lost && job->kernel.name) {
            failed =
                combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "%s device %d (%s) was lost before",
                              member->backend->name, member->device.index, member->device.name);
            continue;
        }
        job->share_count++;
        status = combgpu__share_open(job, share, member,
                                     job->kernel.name ? member->backend
                                                      : combgpu__backend_of(COMBGPU_BACKEND_CPU));
        if (status && member != ctx) memcpy(ctx->message, member->message, sizeof ctx->message);
    }
    if (!status && !job->share_count) status = failed;
    if (!status && combgpu__verifies(job) && job->kernel.solve)
        status =
            combgpu__share_open(job, &job->checker, ctx, combgpu__backend_of(COMBGPU_BACKEND_CPU));
    if (status) return status;
    job->budget = job->shares[0].budget;
    return combgpu__pending_room(job, job->record_capacity);
}

/* ---- the pool, on the host and on the devices */

/* How many workers a device has in terms of the fastest: measured, or by their number at first. */
COMBGPU__PRIVATE double combgpu__share_weight(const combgpu_job *job, const combgpu__share *share)
{
    int i, measured = 1;
    if (share->lost) return 0;
    for (i = 0; i < job->share_count; i++)
        measured &= job->shares[i].lost || job->shares[i].speed > 0;
    return measured ? share->speed : (double)share->workers;
}

/* Neighbours in the frontier are about as large. Puts the reserve in an order in which each device,
   which takes its part from the end, gets some of everywhere. */
COMBGPU__PRIVATE void combgpu__deal(combgpu_job *job)
{
    size_t count = job->reserve_count, bytes = job->task_words * sizeof(uint32_t), to = 0, i;
    size_t hands = (size_t)job->share_count, first;
    uint32_t *dealt;
    if (hands < 2 || count < hands) return;
    dealt = (uint32_t *)combgpu__allocate(job->ctx, job->reserve_capacity * bytes);
    if (!dealt) return; /* it only takes longer */
    for (first = 0; first < hands; first++)
        for (i = first; i < count; i += hands)
            memcpy(dealt + to++ * job->task_words, job->reserve + i * job->task_words, bytes);
    combgpu__release(job->ctx, job->reserve);
    job->reserve = dealt;
}

/* What a device's tasks are worth, in tasks that nobody has begun: left-over ones are small. */
#define COMBGPU__LEFT_WORTH 0.125
COMBGPU__PRIVATE double combgpu__share_stock(const combgpu__share *share)
{
    return share->whole + COMBGPU__LEFT_WORTH * (share->pool_count - share->whole);
}

/* What the device has beyond its part of all tasks there are, by its speed; negative: it lacks so
   much. A slow device may have none of the last few; the fastest one always lacks some. */
COMBGPU__PRIVATE double combgpu__share_excess(const combgpu_job *job, const combgpu__share *share)
{
    double mine = combgpu__share_weight(job, share), all = 0, stock = (double)job->reserve_count;
    int fastest = 1, i;
    for (i = 0; i < job->share_count; i++) {
        double weight = combgpu__share_weight(job, &job->shares[i]);
        all += weight;
        fastest &= weight <= mine;
        stock += combgpu__share_stock(&job->shares[i]);
    }
    return combgpu__share_stock(share) - fastest - (all > 0 ? stock * mine / all : 0);
}

/* Moves the last `count` tasks of a device's pool to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__spill(combgpu_job *job, combgpu__share *share,
                                               uint32_t count)
{
    size_t task_bytes = job->task_words * sizeof(uint32_t);
    uint64_t fresh = share->fresh < count ? share->fresh : count;
    combgpu_status status = combgpu__reserve_room(job, count);
    if (!status && count)
        status = share->backend->download(
            share->ctx, job->reserve + job->reserve_count * job->task_words,
            &share->memory[COMBGPU__POOL], (share->pool_count - count) * task_bytes,
            count * task_bytes);
    if (status) return status;
    job->reserve_count += count;
    share->pool_count -= count;
    share->whole -= share->whole < count ? share->whole : count;
    share->fresh -= fresh;
    job->fresh_reserve += fresh;
    return COMBGPU_OK;
}

/* Moves tasks between the reserve's top and the pool's end, so that the pool holds enough for every
   worker but leaves room for all that a slice can give back. */
COMBGPU__PRIVATE combgpu_status combgpu__feed(combgpu_job *job, combgpu__share *share)
{
    size_t task_bytes = job->task_words * sizeof(uint32_t), move;
    uint32_t most = share->pool_capacity - combgpu__left_room(job, share);
    double lacks;
    combgpu_status status;
    if (share->pool_count > most) return combgpu__spill(job, share, share->pool_count - most);
    if (!job->reserve_count || share->pool_count == most) return COMBGPU_OK;
    move = most - share->pool_count;
    if (move > job->reserve_count) move = job->reserve_count;
    lacks = 0.5 - combgpu__share_excess(job, share);
    if (job->share_count > 1 && lacks < (double)move) move = lacks < 1 ? 0 : (size_t)lacks;
    if (!move) return COMBGPU_OK;
    status = share->backend->upload(
        share->ctx, &share->memory[COMBGPU__POOL], share->pool_count * task_bytes,
        job->reserve + (job->reserve_count - move) * job->task_words, move * task_bytes);
    if (status) return status;
    job->reserve_count -= move;
    share->pool_count += (uint32_t)move;
    share->whole += (uint32_t)move;
    if (job->fresh_reserve > job->reserve_count) {
        share->fresh += job->fresh_reserve - job->reserve_count;
        job->fresh_reserve = job->reserve_count;
    }
    return COMBGPU_OK;
}

/* Has a device too few tasks, while there are none in the reserve? */
COMBGPU__PRIVATE int combgpu__starving(const combgpu_job *job, const combgpu__share *share)
{
    int i;
    for (i = 0; i < job->share_count && !job->reserve_count; i++) {
        const combgpu__share *other = &job->shares[i];
        if (other != share && !other->lost && (other->hungry || other->pool_count < other->workers))
            return 1;
    }
    return 0;
}

/* After a slice: gives what is above the quota to devices that have too few for their workers, the
   last of the pool, which are the largest. */
COMBGPU__PRIVATE combgpu_status combgpu__balance(combgpu_job *job, combgpu__share *share)
{
    double excess = combgpu__share_excess(job, share), count;
    if (excess <= 0 || !combgpu__starving(job, share)) return COMBGPU_OK;
    count = excess < share->whole ? excess
                                  : share->whole + (excess - share->whole) / COMBGPU__LEFT_WORTH;
    return combgpu__spill(job, share, (uint32_t)count);
}

/* ---- a slice: start, wait, collect */

/* Starts a slice over the device's pool. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_start(combgpu_job *job, combgpu__share *share,
                                                     uint32_t budget)
{
    combgpu__slice slice;
    combgpu__launch *launch = &share->launch;
    combgpu_status status;
    memset(&slice, 0, sizeof slice);
    memset(launch, 0, sizeof *launch);
    slice.task_count = share->pool_count;
    slice.left_capacity = share->pool_capacity;
    slice.record_capacity = job->record_capacity;
    slice.budget = budget;
    slice.least = budget / COMBGPU__HUNGRY_SHARE + 1; /* never 0: every slice gets on */
    slice.workers = share->workers;
    slice.task_words = job->task_words;
    slice.record_words = job->record_words;
    launch->kernel = &job->kernel;
    launch->program = share->program;
    launch->job = job;
    launch->workers = share->workers;
    launch->control = &share->memory[COMBGPU__CONTROL];
    launch->tables = &share->memory[COMBGPU__TABLES];
    launch->tasks = &share->memory[COMBGPU__POOL];
    launch->left = &share->memory[COMBGPU__LEFT];
    launch->records = &share->memory[COMBGPU__RECORDS];
    launch->work = &share->memory[COMBGPU__WORK];
    launch->status = COMBGPU_RUNNING;
    status = share->backend->upload(share->ctx, launch->control, 0, &slice, sizeof slice);
    share->began = combgpu__now();
    if (!status) status = share->backend->start(share->ctx, launch);
    share->running = !status;
    return status;
}

/* Has the slice ended? RUNNING, OK, or why it failed. A device that does not answer in time counts
   as hung. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_poll(combgpu_job *job, combgpu__share *share)
{
    double limit = job->run.slice_limit_s > 0  ? job->run.slice_limit_s
                   : share->ctx->device.is_gpu ? COMBGPU__SLICE_LIMIT_S
                                               : 10 * COMBGPU__SLICE_LIMIT_S;
    combgpu_status status = share->launch.status;
    if (status == COMBGPU_RUNNING)
        status = share->launch.status = share->backend->poll(share->ctx, &share->launch);
    if (status == COMBGPU_RUNNING && combgpu__now() - share->began > limit) {
        share->lost = COMBGPU__HUNG;
        status = share->launch.status = combgpu__fail(share->ctx, COMBGPU_DEVICE_ERROR,
                                                      "%s hangs: a slice has not ended after %g s",
                                                      combgpu__share_name(share).text, limit);
    }
    return status;
}

/* Lets the other processes work for a moment, once a slice takes more than an instant. */
COMBGPU__PRIVATE void combgpu__nap(double since)
{
#if defined(CLOCK_MONOTONIC)
    struct timespec t;
    if (combgpu__now() - since < 3e-4) return;
    t.tv_sec = 0;
    t.tv_nsec = 50000;
    nanosleep(&t, NULL);
#else
    (void)since;
#endif
}

COMBGPU__PRIVATE combgpu_status combgpu__slice_wait(combgpu_job *job, combgpu__share *share)
{
    combgpu_status status;
    while ((status = combgpu__slice_poll(job, share)) == COMBGPU_RUNNING)
        combgpu__nap(share->began);
    share->running = 0;
    return status;
}

/* The budget of slices to come, now `budget`; a slice that ran out of tasks or room says little. */
COMBGPU__PRIVATE uint32_t combgpu__next_budget(const combgpu_job *job, const combgpu__slice *slice,
                                               uint32_t budget, double seconds)
{
    double aim = (job->run.slice_ms > 0 ? job->run.slice_ms : COMBGPU__DEFAULT_SLICE_MS) / 1e3;
    double factor, next;
    int spent =
        slice->left_count || slice->task_next < slice->task_count; /* by budgets, not tasks */
    if (seconds <= aim && (!spent || slice->stop & COMBGPU__STOP_ENOUGH)) return budget;
    if (slice->stop == COMBGPU__STOP_HUNGRY && seconds <= aim) {
        aim /= COMBGPU__HUNGRY_SHARE; /* it takes so long at least */
        if (seconds > aim) return budget;
    }
    factor = seconds > 0 ? aim / seconds : 8;
    factor = factor > 8 ? 8 : factor < 0.125 ? 0.125 : factor;
    next = factor * (double)slice->budget; /* of this slice: it may have been less */
    return next < 16 ? 16 : next > 1e9 ? 1000000000u : (uint32_t)next;
}

/* Fetches what a slice that has ended left: totals into `sums`, records behind those that wait,
   left-over tasks and those nobody began as the next pool. */
COMBGPU__PRIVATE combgpu_status combgpu__slice_collect(combgpu_job *job, combgpu__share *share,
                                                       uint64_t *sums)
{
    const combgpu__backend *backend = share->backend;
    size_t task_bytes = job->task_words * sizeof(uint32_t);
    double seconds = share->launch.seconds, wall = combgpu__now() - share->began;
    combgpu__slice slice;
    combgpu__memory other;
    combgpu_status status;
    uint32_t *budget = share == job->shares ? &job->budget : &share->budget;
    uint32_t begun, waiting, records, i;
    uint64_t steps;

    status =
        backend->download(share->ctx, &slice, &share->memory[COMBGPU__CONTROL], 0, sizeof slice);
    if (status) return status;
    /* a kernel that claims more than there was room for has damaged something: never go on */
    begun = slice.task_next < slice.task_count ? slice.task_next : slice.task_count;
    waiting = slice.task_count - begun;
    if (slice.left_count > combgpu__left_room(job, share))
        return combgpu__fail(share->ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s gave back %u tasks, more than the %u it may",
                             job->kernel.name, slice.left_count, combgpu__left_room(job, share));
    records = slice.record_count < job->record_capacity ? slice.record_count : job->record_capacity;
    if (records) {
        status = combgpu__pending_room(job, records);
        if (!status)
            status =
                backend->download(share->ctx, job->pending + job->pending_count * job->record_words,
                                  &share->memory[COMBGPU__RECORDS], 0,
                                  records * job->record_words * sizeof(uint32_t));
        if (status) return status;
    }
    if (waiting) {
        status =
            backend->copy(share->ctx, &share->memory[COMBGPU__LEFT], slice.left_count * task_bytes,
                          &share->memory[COMBGPU__POOL], begun * task_bytes, waiting * task_bytes);
        if (status) return status;
    }
    /* from here on nothing fails: the slice counts */
    other = share->memory[COMBGPU__POOL];
    share->memory[COMBGPU__POOL] = share->memory[COMBGPU__LEFT];
    share->memory[COMBGPU__LEFT] = other;
    share->pool_count = slice.left_count + waiting;
    share->whole = waiting;
    share->hungry = (slice.stop & COMBGPU__STOP_HUNGRY) != 0;
    if (share->fresh > waiting) share->fresh = waiting;
    for (i = 0; i < COMBGPU__TOTALS; i++)
        sums[i] += combgpu__get64(slice.totals + 2 * i);
    job->pending_count += records;
    steps = combgpu__get64(slice.totals);
    share->steps += steps;
    share->seconds += seconds;
    share->slices++;
    job->device_s += seconds;
    job->slices++;
    if (wall > 0 && (!(slice.stop & COMBGPU__STOP_HUNGRY) || share->speed <= 0)) {
        double speed = (double)steps / wall;
        share->speed = share->speed > 0 ? 0.75 * share->speed + 0.25 * speed : speed;
    }
    *budget = combgpu__next_budget(job, &slice, *budget, seconds);
    return COMBGPU_OK;
}

/* ---- checkpoints: a text header, then tasks and records as little-endian words, then a CRC

   combgpu checkpoint 1
   problem NAME
   parameters TEXT
   shard I/K
   elapsed_s SECONDS, fixed width, so that the size does not depend on the time
   status N
   frontier ALL MINE FRESH
   sums N HEX HEX ...
   tasks COUNT WORDS
   records COUNT WORDS
   data
   (binary) CRC-32 of everything before it, 4 bytes

   The same text is what combgpu_save writes. It is untrusted when it is read. */

#define COMBGPU__CHECKPOINT_MAGIC "combgpu checkpoint 1\n"
#define COMBGPU__HEADER_BYTES (2048 + 17 * COMBGPU__SUMS)

/* CRC-32 (IEEE 802.3), eight bytes at a time (M. Kounavis, F. Berry, 2005). The tables take less
   time than a kilobyte does without them. */
COMBGPU__PRIVATE uint32_t combgpu__crc32(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    uint32_t table[8][256], crc, i;
    int k;
    for (i = 0; i < 256; i++) {
        crc = i;
        for (k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[0][i] = crc;
    }
    for (k = 1; k < 8; k++)
        for (i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
    crc = 0xffffffffu;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = table[7][crc & 255] ^ table[6][crc >> 8 & 255] ^ table[5][crc >> 16 & 255] ^
              table[4][crc >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
              table[0][p[7]];
    }
    for (; bytes; bytes--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

COMBGPU__PRIVATE void combgpu__store_words(unsigned char *to, const uint32_t *words, size_t count)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count) memcpy(to, words, 4 * count);
    count = 0;
#endif
    for (; count; count--, words++, to += 4) {
        to[0] = (unsigned char)(*words & 255);
        to[1] = (unsigned char)(*words >> 8 & 255);
        to[2] = (unsigned char)(*words >> 16 & 255);
        to[3] = (unsigned char)(*words >> 24);
    }
}

COMBGPU__PRIVATE void combgpu__load_words(uint32_t *words, const unsigned char *from, size_t count)
{
    for (; count; count--, words++, from += 4)
        *words = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                 (uint32_t)from[3] << 24;
}

/* Writes the header text; returns its length. */
COMBGPU__PRIVATE size_t combgpu__checkpoint_header(const combgpu_job *job, char *text)
{
    size_t size = COMBGPU__HEADER_BYTES, at;
    double elapsed = job->earlier_s + combgpu__now() - job->started;
    uint64_t microseconds = elapsed < 9e9 ? (uint64_t)(1e6 * elapsed) : UINT64_C(9000000000000000);
    int last = COMBGPU__SUMS, i;
    while (last && !job->sums[last - 1])
        last--;
    at = (size_t)snprintf(
        text, size,
        COMBGPU__CHECKPOINT_MAGIC "problem %s\nparameters %s\nshard %d/%d\n"
                                  "elapsed_s %010llu.%06llu\nstatus %d\n"
                                  "frontier %llu %llu %llu\nsums %d",
        job->problem->name, job->parameters, job->run.shard_index,
        job->run.shard_count > 1 ? job->run.shard_count : 1,
        (unsigned long long)(microseconds / 1000000), (unsigned long long)(microseconds % 1000000),
        (int)job->status, (unsigned long long)job->frontier_count,
        (unsigned long long)job->frontier_mine, (unsigned long long)job->fresh_reserve, last);
    for (i = 0; i < last; i++)
        at += (size_t)snprintf(text + at, size - at, " %llx", (unsigned long long)job->sums[i]);
    at += (size_t)snprintf(text + at, size - at, "\ntasks %llu %u\nrecords %llu %u\ndata\n",
                           (unsigned long long)job->reserve_count, job->task_words,
                           (unsigned long long)(job->pending_count - job->pending_next),
                           job->record_words);
    return at;
}

COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job);

/* The job as checkpoint bytes, allocated, not yet sealed; the caller releases them. All devices are
   idle after it. */
COMBGPU__PRIVATE combgpu_status combgpu__serialize(combgpu_job *job, unsigned char **out,
                                                   size_t *out_bytes)
{
    combgpu_status status = combgpu__gather(job);
    size_t reserve_words = job->reserve_count * job->task_words;
    size_t record_words = (job->pending_count - job->pending_next) * job->record_words;
    size_t most = COMBGPU__HEADER_BYTES + 4 * (reserve_words + record_words) + 4, at;
    unsigned char *bytes;
    *out = NULL;
    if (status) return status;
    bytes = (unsigned char *)combgpu__allocate(job->ctx, most);
    if (!bytes) return combgpu__no_memory(job->ctx, most);
    at = combgpu__checkpoint_header(job, (char *)bytes);
    combgpu__store_words(bytes + at, job->reserve, reserve_words);
    at += 4 * reserve_words;
    if (record_words)
        combgpu__store_words(bytes + at, job->pending + job->pending_next * job->record_words,
                             record_words);
    *out = bytes;
    *out_bytes = at + 4 * record_words + 4;
    return COMBGPU_OK;
}

/* Puts the CRC at the end. */
COMBGPU__PRIVATE void combgpu__seal(unsigned char *bytes, size_t size)
{
    uint32_t crc = combgpu__crc32(bytes, size - 4);
    combgpu__store_words(bytes + size - 4, &crc, 1);
}

/* A checkpoint that could not be written leaves the job whole; all other errors are its end. */
COMBGPU__PRIVATE int combgpu__job_failed(const combgpu_job *job)
{
    return job->status < 0 && job->status != COMBGPU_FILE_ERROR;
}

COMBGPU__DEF combgpu_status combgpu_save(combgpu_job *job, void *data, size_t bytes, size_t *needed)
{
    unsigned char *made;
    size_t made_bytes = 0;
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (combgpu__job_failed(job))
        return combgpu__fail(job->ctx, job->status, "the job has failed before");
    status = combgpu__serialize(job, &made, &made_bytes);
    if (status) return status;
    combgpu__seal(made, made_bytes);
    if (needed) *needed = made_bytes;
    if (data && bytes >= made_bytes)
        memcpy(data, made, made_bytes);
    else if (data || !needed)
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                               "bytes is %llu; this checkpoint needs %llu",
                               (unsigned long long)bytes, (unsigned long long)made_bytes);
    combgpu__release(job->ctx, made);
    return status;
}

/* A reader of the header: `at` moves over the text as long as everything fits. */
typedef struct combgpu__reader {
    const char *at, *end;
    int line;
} combgpu__reader;

/* If the text goes on with `word`, moves past it. */
COMBGPU__PRIVATE int combgpu__read_word(combgpu__reader *reader, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length)) return 0;
    reader->at += length;
    if (length && word[length - 1] == '\n') reader->line++;
    return 1;
}

/* An unsigned number in base 10 or 16, at most 20 digits. */
COMBGPU__PRIVATE int combgpu__read_number(combgpu__reader *reader, unsigned base, uint64_t *value)
{
    int digits = 0;
    *value = 0;
    for (; reader->at < reader->end; reader->at++, digits++) {
        char c = *reader->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base) break;
        if (*value > (UINT64_MAX - digit) / base) return 0;
        *value = *value * base + digit;
    }
    return digits > 0;
}

/* Loads checkpoint bytes into a fresh job. BAD_FILE: damaged; WRONG_JOB: of another job. `source`
   names them in messages. */
COMBGPU__PRIVATE combgpu_status combgpu__deserialize(combgpu_job *job, const unsigned char *bytes,
                                                     size_t size, const char *source)
{
    combgpu_context *ctx = job->ctx;
    char expected[sizeof job->parameters + 128];
    combgpu__reader reader;
    uint64_t seconds, fraction = 0, frontier, mine, fresh, sums, tasks, words, records, number;
    uint64_t status_number;
    uint64_t values[COMBGPU__SUMS];
    uint64_t i;
    size_t data_bytes;
    uint32_t crc;
    const unsigned char *data;
    combgpu_status status;
    reader.at = (const char *)bytes;
    reader.end = reader.at + (size < 4 ? 0 : size - 4);
    reader.line = 1;
    if (!combgpu__read_word(&reader, COMBGPU__CHECKPOINT_MAGIC))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s, line 1: not a combgpu checkpoint", source);
    combgpu__load_words(&crc, bytes + size - 4, 1);
    if (crc != combgpu__crc32(bytes, size - 4))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "%s: the CRC is wrong: the file is damaged or cut short", source);
    snprintf(expected, sizeof expected, "problem %s\nparameters %s\nshard %d/%d\n",
             job->problem->name, job->parameters, job->run.shard_index,
             job->run.shard_count > 1 ? job->run.shard_count : 1);
    if (!combgpu__read_word(&reader, expected)) {
        int shown = reader.end - reader.at > 200 ? 200 : (int)(reader.end - reader.at);
        char found[201];
        int n;
        for (n = 0; n < shown; n++)
            found[n] = reader.at[n] >= ' ' && reader.at[n] < 127 ? reader.at[n] : ' ';
        found[shown] = 0;
        return combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                             "%s belongs to another job (%.100s...), not to this one (%s %.100s)",
                             source, found, job->problem->name, job->parameters);
    }
    reader.line += 3;
    if (!combgpu__read_word(&reader, "elapsed_s ") ||
        !combgpu__read_number(&reader, 10, &seconds) || !combgpu__read_word(&reader, ".") ||
        !combgpu__read_number(&reader, 10, &fraction) ||
        !combgpu__read_word(&reader, "\nstatus ") ||
        !combgpu__read_number(&reader, 10, &status_number) ||
        !combgpu__read_word(&reader, "\nfrontier ") ||
        !combgpu__read_number(&reader, 10, &frontier) || !combgpu__read_word(&reader, " ") ||
        !combgpu__read_number(&reader, 10, &mine) || !combgpu__read_word(&reader, " ") ||
        !combgpu__read_number(&reader, 10, &fresh) || !combgpu__read_word(&reader, "\nsums ") ||
        !combgpu__read_number(&reader, 10, &sums) || sums > COMBGPU__SUMS)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: the header is damaged", source);
    memset(values, 0, sizeof values);
    for (i = 0; i < sums; i++)
        if (!combgpu__read_word(&reader, " ") || !combgpu__read_number(&reader, 16, &values[i]))
            return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s, line 8: the sums are damaged", source);
    if (!combgpu__read_word(&reader, "\ntasks ") || !combgpu__read_number(&reader, 10, &tasks) ||
        !combgpu__read_word(&reader, " ") || !combgpu__read_number(&reader, 10, &words) ||
        words != job->task_words || !combgpu__read_word(&reader, "\nrecords ") ||
        !combgpu__read_number(&reader, 10, &records) || !combgpu__read_word(&reader, " ") ||
        !combgpu__read_number(&reader, 10, &number) || number != job->record_words ||
        !combgpu__read_word(&reader, "\ndata\n"))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: the header is damaged", source);
    data = (const unsigned char *)reader.at;
    data_bytes = (size_t)(reader.end - reader.at);
    if (tasks > data_bytes / (4 * words) || records > data_bytes / 4 || (records && !number) ||
        tasks * 4 * words + records * 4 * number != data_bytes)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: %llu bytes of data, not what it announces",
                             source, (unsigned long long)data_bytes);
    status = combgpu__reserve_room(job, (size_t)tasks);
    if (status) return status;
    job->pending_capacity = (size_t)records;
    combgpu__release(ctx, job->pending);
    job->pending = (uint32_t *)combgpu__allocate(ctx, (size_t)(records * 4 * number));
    if (!job->pending) return combgpu__no_memory(ctx, (size_t)(records * 4 * number));
    combgpu__load_words(job->reserve, data, (size_t)(tasks * words));
    combgpu__load_words(job->pending, data + tasks * 4 * words, (size_t)(records * number));
    for (i = 0; i < tasks; i++)
        if (!job->problem->adopt_task(job, job->reserve + i * words))
            return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: task %llu cannot occur in this job",
                                 source, (unsigned long long)i);
    for (i = 0; i < records; i++)
        if (!job->problem->adopt_record(job, job->pending + i * number))
            return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: record %llu cannot occur in this job",
                                 source, (unsigned long long)i);
    memcpy(job->sums, values, sizeof values);
    job->reserve_count = (size_t)tasks;
    job->pending_next = 0;
    job->pending_count = (size_t)records;
    job->earlier_s = (double)seconds + 1e-6 * (double)fraction;
    job->frontier_count = frontier;
    job->frontier_mine = mine;
    job->fresh_reserve = fresh < tasks ? fresh : tasks;
    job->steps_at_start = values[0];
    return COMBGPU_OK;
}

/* ---- checkpoint files: written beside the old one, locked, damaged ones give way to .bak */

#if !defined(COMBGPU_NO_STDIO) && (defined(__unix__) || defined(__APPLE__)) &&                     \
    defined(CLOCK_MONOTONIC)

/* path + suffix, allocated. */
COMBGPU__PRIVATE char *combgpu__path(combgpu_context *ctx, const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *made = (char *)combgpu__allocate(ctx, size);
    if (made) snprintf(made, size, "%s%s", path, suffix);
    return made;
}

/* Writes all bytes to a new file and waits until they are on the disk. 0 or errno. */
COMBGPU__PRIVATE int combgpu__write_file(const char *path, const unsigned char *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), error = 0;
    if (file < 0) return errno;
    while (size && !error) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            error = written < 0 ? errno : ENOSPC;
        else {
            bytes += written;
            size -= (size_t)written;
        }
    }
    if (!error && fsync(file)) error = errno;
    if (close(file) && !error) error = errno;
    return error;
}

/* Makes a rename in the directory of `path` durable. Errors here cannot lose the file. */
COMBGPU__PRIVATE void combgpu__sync_directory(combgpu_context *ctx, const char *path)
{
    char *folder = combgpu__path(ctx, path, "");
    char *slash = folder ? strrchr(folder, '/') : NULL;
    int file;
    if (!folder) return;
    if (slash == folder)
        slash[1] = 0;
    else if (slash)
        *slash = 0;
    file = open(slash ? folder : ".", O_RDONLY);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    combgpu__release(ctx, folder);
}

/* Writes the checkpoint file: a new file, the one before becomes .bak, then rename. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_write(combgpu_job *job,
                                                          const unsigned char *bytes, size_t size)
{
    combgpu_context *ctx = job->ctx;
    const char *path = job->checkpoint_path;
    char *fresh = combgpu__path(ctx, path, ".new"), *backup = combgpu__path(ctx, path, ".bak");
    combgpu_status status = COMBGPU_OK;
    int error;
    if (!fresh || !backup)
        status = combgpu__no_memory(ctx, strlen(path) + 5);
    else {
        error = combgpu__write_file(fresh, bytes, size);
        if (!error && !job->keep_backup && rename(path, backup) && errno != ENOENT) error = errno;
        if (!error && rename(fresh, path)) error = errno;
        if (error) (void)unlink(fresh);
        if (error)
            status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                                   path, strerror(error));
        else {
            job->keep_backup = 0;
            combgpu__sync_directory(ctx, path);
        }
    }
    combgpu__release(ctx, fresh);
    combgpu__release(ctx, backup);
    return status;
}

/* Reads a whole file. *bytes is NULL, and the status OK, if it does not exist. */
COMBGPU__PRIVATE combgpu_status combgpu__read_file(combgpu_context *ctx, const char *path,
                                                   unsigned char **bytes, size_t *size)
{
    struct stat info;
    unsigned char *made;
    size_t got = 0, room;
    int file = open(path, O_RDONLY | O_NONBLOCK); /* a pipe must not block */
    *bytes = NULL;
    *size = 0;
    if (file < 0 && errno == ENOENT) return COMBGPU_OK;
    if (file < 0 || fstat(file, &info)) {
        int error = errno;
        if (file >= 0) close(file);
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be opened: %s", path,
                             strerror(error));
    }
    if (!S_ISREG(info.st_mode)) { /* a device may have no end */
        close(file);
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s is not a regular file", path);
    }
    room = info.st_size > 0 ? (size_t)info.st_size + 1 : 65536;
    made = (unsigned char *)combgpu__allocate(ctx, room);
    while (made) {
        ssize_t n;
        if (got == room) { /* it grew, or its size is unknown */
            unsigned char *grown =
                room < SIZE_MAX / 2 ? (unsigned char *)combgpu__allocate(ctx, 2 * room) : NULL;
            if (grown) memcpy(grown, made, got);
            combgpu__release(ctx, made);
            made = grown;
            room *= 2;
            continue;
        }
        n = read(file, made + got, room - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int error = errno;
            close(file);
            combgpu__release(ctx, made);
            return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be read: %s", path,
                                 strerror(error));
        }
        if (n == 0) break;
        got += (size_t)n;
    }
    close(file);
    if (!made) return combgpu__no_memory(ctx, room);
    *bytes = made;
    *size = got;
    return COMBGPU_OK;
}

/* Looks for the job's checkpoint file. *loaded: the job now goes on from it. A damaged file gives
   way to its .bak; a file of another job is an error, as is any file that the run may not touch. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_load(combgpu_job *job, int *loaded)
{
    combgpu_context *ctx = job->ctx;
    char first_message[sizeof ctx->message];
    combgpu_status first = COMBGPU_OK, status = COMBGPU_OK;
    int generation;
    *loaded = 0;
    for (generation = 0; generation < 2 && !*loaded; generation++) {
        char *path = combgpu__path(ctx, job->checkpoint_path, generation ? ".bak" : "");
        unsigned char *bytes = NULL;
        size_t size = 0;
        if (!path) return combgpu__no_memory(ctx, strlen(job->checkpoint_path) + 5);
        status = combgpu__read_file(ctx, path, &bytes, &size);
        if (!status && bytes && (!job->run.resume || job->run.resume_data))
            status = combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                                   job->run.resume_data
                                       ? "checkpoint %s exists, but run.resume_data says where to "
                                         "go on; remove the file, or name another"
                                       : "checkpoint %s exists: set run.resume to go on from it, "
                                         "or remove it; it is never overwritten by a new run",
                                   path);
        else if (!status && bytes) {
            status = combgpu__deserialize(job, bytes, size, path);
            *loaded = !status;
        }
        combgpu__release(ctx, bytes);
        combgpu__release(ctx, path);
        if (status && status != COMBGPU_BAD_FILE) return status;
        if (status && generation == 0) {
            first = status;
            memcpy(first_message, ctx->message, sizeof first_message);
        }
    }
    if (first && !*loaded) /* both generations are damaged, or the only one */
        return combgpu__fail(ctx, first, "%s", first_message);
    if (status) return status; /* the newer one is missing and the older one damaged */
    if (first) {
        combgpu__log(ctx, COMBGPU_LOG_WARNING, "%.300s; went on from the older %.150s.bak",
                     first_message, job->checkpoint_path);
        ctx->message[0] = 0;
        job->keep_backup = 1;
    }
    return COMBGPU_OK;
}

/* Locks PATH.lock, so that no other run writes the same checkpoint. The system unlocks it when the
   process ends, however it ends; the file itself may stay behind. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_lock(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    char *path = combgpu__path(ctx, job->checkpoint_path, ".lock"), owner[24] = "";
    combgpu_status status = COMBGPU_OK;
    int file = -1, error = 0, again = 1;
    if (!path) return combgpu__no_memory(ctx, strlen(job->checkpoint_path) + 6);
    while (again && !error) {
        struct stat mine, there;
        again = 0;
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (file < 0 || fstat(file, &mine))
            error = errno;
        else if (flock(file, LOCK_EX | LOCK_NB))
            error = errno;
        else if (stat(path, &there) || there.st_ino != mine.st_ino || there.st_dev != mine.st_dev) {
            close(file); /* its owner has just removed it: that lock is worth nothing */
            file = -1;
            again = 1;
        }
    }
    if (error == EWOULDBLOCK) {
        ssize_t n = read(file, owner, sizeof owner - 1);
        owner[n > 0 ? strspn(owner, "0123456789") : 0] = 0;
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                               "checkpoint %s is in use by another run%s%s (%s.lock is locked)",
                               job->checkpoint_path, *owner ? ", process " : "", owner,
                               job->checkpoint_path);
    } else if (error && file < 0)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                               job->checkpoint_path, strerror(error));
    else if (error)
        combgpu__log(ctx, COMBGPU_LOG_WARNING,
                     "%s cannot be locked (%s): nothing keeps another run from using it", path,
                     strerror(error));
    else {
        size_t length = (size_t)snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
        if (ftruncate(file, 0) == 0 && write(file, owner, length) == (ssize_t)length) length = 0;
        job->lock = file + 1; /* who it is, is only told if it could be written */
        file = -1;
    }
    if (file >= 0) close(file);
    combgpu__release(ctx, path);
    return status;
}

COMBGPU__PRIVATE void combgpu__checkpoint_unlock(combgpu_job *job)
{
    char *path;
    if (!job->lock) return;
    path = combgpu__path(job->ctx, job->checkpoint_path, ".lock");
    if (path) (void)unlink(path); /* while it is locked: nobody else can think it is his */
    close(job->lock - 1);
    job->lock = 0;
    combgpu__release(job->ctx, path);
}

/* The beginning of what a run would go on from, or of the first file to be merged, as text; "" if there
   is nothing readable. */
COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room)
{
    const char *const suffixes[2] = {"", ".bak"};
    const char *name = run->merge_paths && run->merge_count ? run->merge_paths[0]
                       : run->resume                        ? run->checkpoint_path
                                                            : NULL;
    char *path;
    unsigned char *bytes = NULL;
    size_t size = run->resume_data ? run->resume_bytes : 0;
    int i;
    *head = 0;
    if (size) memcpy(head, run->resume_data, size < room ? size : room);
    for (i = 0; i < 2 && name && !size; i++) {
        path = combgpu__path(ctx, name, suffixes[i]);
        if (path && !combgpu__read_file(ctx, path, &bytes, &size) && size)
            memcpy(head, bytes, size < room ? size : room);
        combgpu__release(ctx, bytes);
        combgpu__release(ctx, path);
    }
    head[size < room ? size : room - 1] = 0;
}

/* Can the checkpoint be written? Asked before hours of work, not after them. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_try(combgpu_job *job)
{
    char *path = combgpu__path(job->ctx, job->checkpoint_path, ".new");
    combgpu_status status = COMBGPU_OK;
    int error;
    if (!path) return combgpu__no_memory(job->ctx, strlen(job->checkpoint_path) + 5);
    error = combgpu__write_file(path, NULL, 0);
    if (error)
        status = combgpu__fail(job->ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                               job->checkpoint_path, strerror(error));
    else
        (void)unlink(path);
    combgpu__release(job->ctx, path);
    return status;
}

/* ---- the shards' checkpoints, added up */

/* Which shard a checkpoint is of: its fourth line. 0 if it does not say. */
COMBGPU__PRIVATE int combgpu__checkpoint_shard(const unsigned char *bytes, size_t size,
                                               uint64_t *index, uint64_t *count)
{
    combgpu__reader reader;
    int line;
    reader.at = (const char *)bytes;
    reader.end = reader.at + size;
    for (line = 0; line < 3; line++) {
        const void *end = memchr(reader.at, '\n', (size_t)(reader.end - reader.at));
        if (!end) return 0;
        reader.at = (const char *)end + 1;
    }
    return combgpu__read_word(&reader, "shard ") && combgpu__read_number(&reader, 10, index) &&
           combgpu__read_word(&reader, "/") && combgpu__read_number(&reader, 10, count) &&
           combgpu__read_word(&reader, "\n");
}

/* Loads the checkpoint of one shard; `seen` has a byte for each. Leaves its sums in job->sums. */
COMBGPU__PRIVATE combgpu_status combgpu__merge_load(combgpu_job *job, const char *path,
                                                    unsigned char *seen)
{
    combgpu_context *ctx = job->ctx;
    unsigned char *bytes;
    size_t size;
    uint64_t index, count;
    combgpu_status status = combgpu__read_file(ctx, path, &bytes, &size);
    if (status) return status;
    if (!bytes)
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s does not exist: its shard is missing",
                             path);
    if (!combgpu__checkpoint_shard(bytes, size, &index, &count)) index = 0, count = 1;
    if (index >= count || count != (uint64_t)job->run.merge_count)
        status = combgpu__fail(
            ctx, COMBGPU_WRONG_JOB, "%s is shard %llu/%llu, but %d files are to be merged", path,
            (unsigned long long)index, (unsigned long long)count, job->run.merge_count);
    else {
        job->run.shard_index = (int)index;
        job->run.shard_count = (int)count;
        status = combgpu__deserialize(job, bytes, size, path);
    }
    combgpu__release(ctx, bytes);
    if (!status && (job->reserve_count || job->pending_count))
        status = combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                               "%s: shard %llu/%llu is not finished, %llu tasks are left", path,
                               (unsigned long long)index, (unsigned long long)count,
                               (unsigned long long)(job->reserve_count + job->pending_count));
    if (!status && seen[index]++)
        status = combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                               "%s: shard %llu/%llu is there twice, so another one is missing",
                               path, (unsigned long long)index, (unsigned long long)count);
    return status;
}

/* Instead of a search: the sums of all shards. As many files as shards, none of them twice: then
   none is missing. */
COMBGPU__PRIVATE combgpu_status combgpu__merge(combgpu_job *job)
{
    uint64_t whole[COMBGPU__SUMS], frontier = 0;
    unsigned char *seen =
        (unsigned char *)combgpu__allocate_zeroed(job->ctx, (size_t)job->run.merge_count);
    double seconds = 0;
    combgpu_status status = COMBGPU_OK;
    int k;
    if (!seen) return combgpu__no_memory(job->ctx, (size_t)job->run.merge_count);
    memset(whole, 0, sizeof whole);
    for (k = 0; k < job->run.merge_count && !status; k++) {
        status = combgpu__merge_load(job, job->run.merge_paths[k], seen);
        if (status) break;
        combgpu__swap_sums(job, whole); /* now this shard's */
        combgpu__add_sums(job, job->sums, whole);
        memcpy(whole, job->sums, sizeof whole);
        seconds += job->earlier_s;
        frontier += job->frontier_mine;
    }
    combgpu__release(job->ctx, seen);
    job->run.shard_index = job->run.shard_count = 0;
    job->run.merge_paths = NULL;
    job->earlier_s = seconds;
    job->frontier_mine = frontier;
    job->steps_at_start = job->sums[0];
    return status;
}

#else /* no files here */

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_write(combgpu_job *job,
                                                          const unsigned char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return combgpu__fail(job->ctx, COMBGPU_UNSUPPORTED, "this build has no checkpoint files");
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_load(combgpu_job *job, int *loaded)
{
    *loaded = 0;
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_try(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_lock(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__merge(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE void combgpu__checkpoint_unlock(combgpu_job *job)
{
    (void)job;
}

COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room)
{
    size_t size = run->resume_data ? run->resume_bytes : 0;
    (void)ctx;
    if (size) memcpy(head, run->resume_data, size < room ? size : room);
    head[size < room ? size : room - 1] = 0;
}

#endif

/* ---- a failed device: the others go on from the last snapshot */

COMBGPU__PRIVATE int combgpu__shares_alive(const combgpu_job *job)
{
    int alive = 0, i;
    for (i = 0; i < job->share_count; i++)
        alive += !job->shares[i].lost;
    return alive;
}

/* Back to the snapshot: no slice since then counts. The caller's callback may get solutions again
   that it got since. */
COMBGPU__PRIVATE combgpu_status combgpu__restore(combgpu_job *job)
{
    double earlier = job->earlier_s;
    uint64_t steps = job->steps_at_start;
    combgpu_status status;
    int i;
    for (i = 0; i < job->share_count; i++) {
        combgpu__share *share = &job->shares[i];
        if (share->running && combgpu__slice_wait(job, share) < 0) {
            if (!share->lost) share->lost = COMBGPU__LOST;
            share->ctx->lost = share->lost;
            share->errors++;
        }
        share->pool_count = 0;
        share->fresh = 0;
    }
    if (!combgpu__shares_alive(job)) return COMBGPU_DEVICE_ERROR;
    job->reserve_count = 0;
    status = combgpu__deserialize(job, job->snapshot, job->snapshot_bytes, "the snapshot");
    job->earlier_s = earlier;
    job->steps_at_start = steps;
    return status;
}

/* A device failed with `status`. OK: the job goes on with the others. */
COMBGPU__PRIVATE combgpu_status combgpu__share_failed(combgpu_job *job, combgpu__share *share,
                                                      combgpu_status status)
{
    combgpu_context *ctx = job->ctx;
    char why[sizeof ctx->message];
    snprintf(why, sizeof why, "%s", share->ctx->message);
    if (status == COMBGPU_OUT_OF_MEMORY || status == COMBGPU_WRONG_RESULT ||
        share == &job->checker) { /* not the device */
        if (share->ctx != ctx) snprintf(ctx->message, sizeof ctx->message, "%s", why);
        return status;
    }
    if (!share->lost) share->lost = COMBGPU__LOST;
    if (share->lost == COMBGPU__HUNG || job->share_count > 1) share->ctx->lost = share->lost;
    share->errors++;
    share->running = 0;
    share->pool_count = 0;
    share->fresh = 0;
    snprintf(ctx->message, sizeof ctx->message, "%s failed: %.300s",
             combgpu__share_name(share).text, why);
    if (!combgpu__shares_alive(job) || !job->snapshot) return status;
    combgpu__log(ctx, COMBGPU_LOG_ERROR, "%.400s; the other devices go on with its tasks",
                 ctx->message);
    snprintf(why, sizeof why, "%s", ctx->message);
    ctx->message[0] = 0;
    status = combgpu__restore(job);
    if (status == COMBGPU_DEVICE_ERROR) snprintf(ctx->message, sizeof ctx->message, "%s", why);
    return status;
}

/* Waits for all slices that run and takes all tasks to the host: then the job's state is in sums,
   reserve and pending alone. */
COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job)
{
    combgpu_status status;
    int i;
    for (i = 0; i < job->share_count; i++) {
        combgpu__share *share = &job->shares[i];
        status = COMBGPU_OK;
        if (share->lost) continue;
        if (share->running) status = combgpu__share_done(job, share);
        if (status >= 0) status = combgpu__spill(job, share, share->pool_count);
        if (!status) continue;
        status = combgpu__share_failed(job, share, status);
        if (status) return status;
        i = -1; /* restored: nothing runs */
    }
    return COMBGPU_OK;
}

/* Waits for a slice and adds what it found to the job. FOUND: slice_done says it is enough. */
COMBGPU__PRIVATE combgpu_status combgpu__share_done(combgpu_job *job, combgpu__share *share)
{
    combgpu_status status = combgpu__slice_wait(job, share);
    if (!status) status = combgpu__slice_collect(job, share, job->sums);
    if (!status && job->problem->slice_done) status = job->problem->slice_done(job, share);
    return status;
}

/* Keeps the state in memory, for when a device fails. It is taken as seldom as costs 0.5 % of the
   time at most. */
COMBGPU__PRIVATE combgpu_status combgpu__snapshot(combgpu_job *job)
{
    unsigned char *bytes;
    size_t size = 0;
    combgpu_status status = combgpu__serialize(job, &bytes, &size);
    if (status == COMBGPU_OUT_OF_MEMORY) { /* the one before serves as well */
        job->ctx->message[0] = 0;
        status = COMBGPU_OK;
    } else if (!status) {
        combgpu__seal(bytes, size);
        combgpu__release(job->ctx, job->snapshot);
        job->snapshot = bytes;
        job->snapshot_bytes = size;
    }
    job->last_snapshot = combgpu__now();
    return status;
}

COMBGPU__PRIVATE int combgpu__snapshot_due(const combgpu_job *job)
{
    double bytes = (double)combgpu__tasks_left(job) * job->task_words * 4;
    return combgpu__shares_alive(job) > 1 &&
           combgpu__now() - job->last_snapshot > 10 + 200 * (0.03 + bytes * 1e-9);
}

/* ---- verification: tasks run again

   A slice cannot be compared with another run of it, since what it leaves over depends on timing; a
   task that is done to its end can. Tasks chosen at random run to their end on their device, then
   again; totals and, where a task always gives the same, records must agree. */

#define COMBGPU__VERIFY_SHARE 0.01
#define COMBGPU__VERIFY_CPU_S 0.02 /* time of the CPU's part */

/* What tasks come to, done to the end: as large as all sums, so never on the stack. */
typedef struct combgpu__tally {
    uint64_t sums[COMBGPU__SUMS];
    uint64_t records, hash;
} combgpu__tally;

COMBGPU__PRIVATE int combgpu__tally_equal(const combgpu__tally *a, const combgpu__tally *b)
{
    return !memcmp(a, b, sizeof *a);
}

COMBGPU__PRIVATE void combgpu__tally_add(combgpu_job *job, combgpu__tally *to,
                                         const combgpu__tally *from)
{
    combgpu__add_sums(job, to->sums, from->sums);
    to->records += from->records;
    to->hash += from->hash;
}

COMBGPU__PRIVATE size_t combgpu__pending(const combgpu_job *job)
{
    return job->pending_count - job->pending_next;
}

/* Adds the last `count` pending records: their number and the sum of their hashes. Fillers, whose
   first two words are all ones, count for nothing. */
COMBGPU__PRIVATE void combgpu__tally_records(const combgpu_job *job, size_t count,
                                             combgpu__tally *tally)
{
    const uint32_t *record = job->pending + (job->pending_count - count) * job->record_words;
    size_t bytes = job->record_words * sizeof *record;
    for (; count && job->records_repeat; count--, record += job->record_words) {
        if (job->record_words > 1 && (record[0] & record[1]) == UINT32_MAX) continue;
        tally->records++;
        tally->hash += combgpu__mix(combgpu__fnv(COMBGPU__FNV_OFFSET, record, bytes));
    }
}

/* One slice on an idle device: its sums and records to *tally. */
COMBGPU__PRIVATE combgpu_status combgpu__tally_slice(combgpu_job *job, combgpu__share *share,
                                                     uint32_t budget, combgpu__tally *tally)
{
    size_t before = combgpu__pending(job);
    combgpu_status status = combgpu__slice_start(job, share, budget);
    if (!status) status = combgpu__slice_wait(job, share);
    if (!status) status = combgpu__slice_collect(job, share, tally->sums);
    if (!status) combgpu__tally_records(job, combgpu__pending(job) - before, tally);
    if (!status && job->slice_sums) {
        combgpu__swap_sums(job, tally->sums);
        status = job->problem->slice_done(job, share);
        combgpu__swap_sums(job, tally->sums);
    }
    return status > 0 ? COMBGPU_OK : status;
}

/* Runs tasks to their end on an idle device with an empty pool. Their records stand behind those
   that are pending. STOPPED: they take more than `most` steps, or more room than the pool has. */
COMBGPU__PRIVATE combgpu_status combgpu__tally_run(combgpu_job *job, combgpu__share *share,
                                                   const uint32_t *tasks, uint32_t count,
                                                   uint64_t most, combgpu__tally *tally)
{
    size_t before = combgpu__pending(job);
    uint32_t room = share->pool_capacity - combgpu__left_room(job, share);
    combgpu_status status;
    memset(tally, 0, sizeof *tally);
    job->verifying = share;
    if (count > room) return COMBGPU_STOPPED;
    status = share->backend->upload(share->ctx, &share->memory[COMBGPU__POOL], 0, tasks,
                                    (size_t)count * job->task_words * sizeof *tasks);
    share->pool_count = count;
    while (!status && share->pool_count)
        if (tally->sums[0] > most || share->pool_count > room)
            status = COMBGPU_STOPPED;
        else
            status = combgpu__tally_slice(
                job, share, share == job->shares ? job->budget : share->budget, tally);
    share->pool_count = 0;
    if (status) job->pending_count -= combgpu__pending(job) - before;
    return status;
}

/* Does a part of a large task, twice, with one worker on the CPU, which leaves the same tasks over
   each time. They go to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_part(combgpu_job *job, const uint32_t *task,
                                                     combgpu__tally tally[2], combgpu__tally *total)
{
    combgpu__share *checker = &job->checker;
    uint32_t workers = checker->workers, run;
    size_t words = job->task_words, before = combgpu__pending(job), records = 0;
    uint64_t left[2] = {0, 0};
    combgpu_status status = COMBGPU_OK;
    job->verifying = checker;
    checker->workers = 1;
    memset(tally, 0, 2 * sizeof *tally);
    for (run = 0; run < 2 && !status; run++) {
        memcpy(checker->memory[COMBGPU__POOL].handle, task, words * sizeof *task);
        checker->pool_count = 1;
        status = combgpu__tally_slice(job, checker, 4096, &tally[run]);
        if (!run) records = combgpu__pending(job) - before;
        left[run] = combgpu__fnv(COMBGPU__FNV_OFFSET, checker->memory[COMBGPU__POOL].handle,
                                 checker->pool_count * words * sizeof *task);
    }
    checker->workers = workers;
    if (!status) job->pending_count -= combgpu__pending(job) - before - records;
    if (!status && (left[0] != left[1] || !combgpu__tally_equal(&tally[0], &tally[1])))
        status = combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                               "verify: the CPU gave two results for the same task");
    if (!status) status = combgpu__spill(job, checker, checker->pool_count);
    checker->pool_count = 0;
    if (!status) combgpu__tally_add(job, total, &tally[0]);
    return status;
}

/* Reports a wrong result of a device, found in one of `count` tasks. */
COMBGPU__PRIVATE void combgpu__blame(combgpu_job *job, combgpu__share *share, const uint32_t *task,
                                     uint32_t count)
{
    char text[160];
    size_t at = 0;
    uint32_t i;
    for (i = 0; i < job->task_words && at < 120; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %x", task[i]);
    share->mismatches++;
    combgpu__log(
        job->ctx, COMBGPU_LOG_ERROR, "verify: %s computed a wrong result: %s, %s%u task%s%.140s%s",
        combgpu__share_name(share).text, job->problem->name, count > 1 ? "once, in one of " : "",
        count, count > 1 ? "s from" : "", text, i < job->task_words ? " ..." : "");
}

/* A single task whose two runs, tally[0] and [1], differ: the third, on the CPU, decides. All their
   records are pending, `records` each. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_third(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *task,
                                                      combgpu__tally tally[3],
                                                      const size_t records[2],
                                                      combgpu__tally *total)
{
    combgpu__share *third = job->checker.backend ? &job->checker : share;
    size_t words = job->record_words, before = combgpu__pending(job), all = records[0] + records[1];
    combgpu_status status = combgpu__tally_run(job, third, task, 1, UINT64_MAX, &tally[2]);
    uint32_t *first;
    if (status == COMBGPU_STOPPED) { /* it does not fit into the pool: in parts, then */
        job->pending_count -= all;
        combgpu__blame(job, share, task, 1);
        return combgpu__verify_part(job, task, tally, total);
    }
    if (status) return status;
    all += combgpu__pending(job) - before;
    first = job->pending + (job->pending_count - all) * words;
    if (combgpu__tally_equal(&tally[2], &tally[0])) {
        combgpu__blame(job, other, task, 1);
        job->pending_count -= all - records[0];
    } else if (combgpu__tally_equal(&tally[2], &tally[1])) {
        combgpu__blame(job, share, task, 1);
        memmove(first, first + records[0] * words, records[1] * words * sizeof *first);
        job->pending_count -= all - records[1];
    } else
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "verify: three runs of a task of %s gave three results; %s is one of "
                             "the devices",
                             job->problem->name, combgpu__share_name(share).text);
    share->verified++;
    combgpu__tally_add(job, total, &tally[2]);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__verify_tasks(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *tasks,
                                                      uint32_t count, uint64_t most,
                                                      combgpu__tally *total);

/* Tasks whose two runs differ in `differ`, or that take too long: again in halves, to tally[1]. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_halves(combgpu_job *job, combgpu__share *share,
                                                       combgpu__share *other, const uint32_t *tasks,
                                                       uint32_t count, const combgpu__tally *differ,
                                                       combgpu__tally *agreed)
{
    uint64_t mismatches = share->mismatches + other->mismatches;
    uint32_t half = count / 2;
    combgpu_status status;
    memset(agreed, 0, sizeof *agreed);
    status = combgpu__verify_tasks(job, share, other, tasks, half, 0, agreed);
    if (!status)
        status = combgpu__verify_tasks(job, share, other, tasks + (size_t)half * job->task_words,
                                       count - half, 0, agreed);
    if (!status && differ && share->mismatches + other->mismatches == mismatches)
        combgpu__blame(job, /* it did not come again */
                       combgpu__tally_equal(agreed, differ) ? other : share, tasks, count);
    return status;
}

/* combgpu__verify_tasks with room for three tallies. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_twice(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *tasks,
                                                      uint32_t count, uint64_t most,
                                                      combgpu__tally tally[3],
                                                      combgpu__tally *total)
{
    size_t before = combgpu__pending(job), records[2] = {0, 0};
    int differ;
    combgpu_status status =
        combgpu__tally_run(job, share, tasks, count, most ? most : 50000, &tally[0]);
    if (status == COMBGPU_STOPPED && most) return status;
    records[0] = combgpu__pending(job) - before;
    if (!status) status = combgpu__tally_run(job, other, tasks, count, UINT64_MAX, &tally[1]);
    if (status < 0) return status;
    records[1] = combgpu__pending(job) - before - records[0];
    differ = !status && !combgpu__tally_equal(&tally[0], &tally[1]);
    if (!status && !differ) {
        job->pending_count -= records[1];
        share->verified += count;
        combgpu__tally_add(job, total, &tally[0]);
        return COMBGPU_OK;
    }
    if (differ && count == 1)
        return combgpu__verify_third(job, share, other, tasks, tally, records, total);
    job->pending_count -= records[0] + records[1];
    if (count == 1) return combgpu__verify_part(job, tasks, tally, total);
    status =
        combgpu__verify_halves(job, share, other, tasks, count, differ ? tally : NULL, &tally[1]);
    if (!status) combgpu__tally_add(job, total, &tally[1]);
    return status;
}

/* Runs tasks on `share` and again on `other`; adds what both agree on to `total`. Where they differ,
   the tasks run again in halves, down to a single one. STOPPED: nothing was done, since they take
   more than `most` steps; with `most` 0 they are done in halves and parts instead. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_tasks(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *tasks,
                                                      uint32_t count, uint64_t most,
                                                      combgpu__tally *total)
{
    combgpu__tally *tally =
        (combgpu__tally *)combgpu__allocate(job->ctx, 3 * sizeof(combgpu__tally));
    combgpu_status status;
    if (!tally) return combgpu__no_memory(job->ctx, 3 * sizeof(combgpu__tally));
    status = combgpu__verify_twice(job, share, other, tasks, count, most, tally, total);
    combgpu__release(job->ctx, tally);
    return status;
}

/* A number below n. What is verified should be hard to foresee, so it is no part of the result. */
COMBGPU__PRIVATE uint64_t combgpu__verify_random(combgpu_job *job, uint64_t n)
{
    double now = combgpu__now();
    job->verify_state =
        combgpu__mix(job->verify_state ^ combgpu__fnv(job->slices, &now, sizeof now));
    return job->verify_state % n;
}

/* Takes up to *count tasks at random off the reserve, to `tasks`. Of a range only *count numbers,
   the rest stays. */
COMBGPU__PRIVATE void combgpu__verify_choose(combgpu_job *job, uint32_t *tasks, uint32_t *count)
{
    size_t words = job->task_words, bytes = words * sizeof *tasks, i;
    uint32_t wanted = *count;
    if (wanted > job->reserve_count) wanted = (uint32_t)job->reserve_count;
    if (job->range_tasks) wanted = 1;
    for (i = 0; i < wanted; i++) {
        uint32_t *last = job->reserve + (job->reserve_count - 1) * words;
        uint32_t *task = job->reserve + combgpu__verify_random(job, job->reserve_count) * words;
        uint64_t begin = combgpu__get64(task);
        memcpy(tasks + i * words, task, bytes);
        if (job->range_tasks && combgpu__get64(task + 2) - begin > *count) {
            combgpu__put64(tasks + 2, begin + *count);
            combgpu__put64(task, begin + *count);
            break;
        }
        memcpy(task, last, bytes);
        job->reserve_count--;
    }
    if (job->fresh_reserve > job->reserve_count) job->fresh_reserve = job->reserve_count;
    *count = wanted;
}

/* Once for each of a device's slices that is chosen: some of its tasks on another device or on
   itself again, then as many as the CPU does in a moment on the CPU. With verify_share 1 the CPU
   does all. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_on(combgpu_job *job, combgpu__share *share,
                                                   combgpu__share *other, uint32_t *size, int all)
{
    double seconds = other == &job->checker ? COMBGPU__VERIFY_CPU_S : 0.1;
    double speed = other->speed > 0 ? other->speed : (double)other->workers * 10000;
    uint64_t most = (uint64_t)(seconds * speed) + 1000;
    combgpu__tally *total;
    combgpu_status status = COMBGPU_STOPPED;
    uint32_t count, *tasks, room = share->pool_capacity - combgpu__left_room(job, share);
    int tries;
    size_t bytes;
    for (tries = 0; status == COMBGPU_STOPPED && job->reserve_count && tries < 4; tries++) {
        if (!*size) *size = job->range_tasks ? 64 : 16;
        if (*size > room && !job->range_tasks) *size = room;
        count = *size;
        bytes = (job->range_tasks ? 1 : count) * job->task_words * sizeof *tasks;
        total = (combgpu__tally *)combgpu__allocate_zeroed(job->ctx, sizeof *total + bytes);
        if (!total) return combgpu__no_memory(job->ctx, sizeof *total + bytes);
        tasks = (uint32_t *)(void *)(total + 1);
        combgpu__verify_choose(job, tasks, &count);
        status = combgpu__verify_tasks(job, share, other, tasks, count,
                                       !all                ? most
                                       : !job->range_tasks ? 0
                                       : *size == 1        ? UINT64_MAX
                                                           : most,
                                       total);
        if (status == COMBGPU_STOPPED) { /* back: there is room where they came from */
            combgpu_status room_status = combgpu__reserve_room(job, count);
            if (room_status)
                status = room_status;
            else {
                memcpy(job->reserve + job->reserve_count * job->task_words, tasks,
                       count * job->task_words * sizeof *tasks);
                job->reserve_count += count;
                *size = (*size + 1) / 2;
            }
        } else if (!status) {
            combgpu__add_sums(job, job->sums, total->sums);
            if (total->sums[0] < most / 4 && *size < 1u << 30) *size *= 2;
            if (job->problem->slice_done && !job->slice_sums)
                status = job->problem->slice_done(job, share);
        }
        combgpu__release(job->ctx, total);
    }
    return status == COMBGPU_STOPPED ? COMBGPU_OK : status;
}

COMBGPU__PRIVATE combgpu_status combgpu__verify(combgpu_job *job, combgpu__share *share)
{
    int all = job->run.verify_share >= 1, cpu = share->backend->id == COMBGPU_BACKEND_CPU, i;
    combgpu__share *other = share;
    combgpu_status status;
    job->verifying = share;
    status = combgpu__spill(job, share, share->pool_count);
    for (i = 0; i < job->share_count && !status; i++) { /* the next one that works */
        combgpu__share *next = &job->shares[(int)(share - job->shares + i + 1) % job->share_count];
        if (next == share || next->lost || (next->backend->id == COMBGPU_BACKEND_CPU && !cpu))
            continue;
        job->verifying = other = next;
        if (next->running) status = combgpu__share_done(job, next);
        if (status >= 0) status = combgpu__spill(job, next, next->pool_count);
        break;
    }
    if (!status && (cpu || !all || !job->checker.backend))
        status = combgpu__verify_on(job, share, other, &share->verify_size[0], all);
    if (!status && !cpu && job->checker.backend)
        status = combgpu__verify_on(job, share, &job->checker, &share->verify_size[1], all);
    return status;
}

/* Is a slice of this device to be verified now? */
COMBGPU__PRIVATE int combgpu__verify_due(combgpu_job *job)
{
    double part = job->run.verify_share > 0 ? job->run.verify_share : COMBGPU__VERIFY_SHARE;
    return combgpu__verifies(job) &&
           (double)combgpu__verify_random(job, 1u << 30) < part * (1u << 30);
}

/* ---- rounds: every device that has tasks works; one that ends a slice gets the next one */

/* The device has too little memory for a launch: half as many workers, and a smaller pool. */
COMBGPU__PRIVATE combgpu_status combgpu__share_shrink(combgpu_job *job, combgpu__share *share)
{
    combgpu_status status = combgpu__spill(job, share, share->pool_count);
    if (status || share->workers == 1 || job->caller_work.handle)
        return status ? status : COMBGPU_DEVICE_OUT_OF_MEMORY;
    combgpu__share_release(share);
    share->workers = (share->workers + 1) / 2;
    combgpu__log(job->ctx, COMBGPU_LOG_WARNING, "%s: out of memory: going on with %u workers",
                 combgpu__share_name(share).text, share->workers);
    share->ctx->message[0] = 0;
    return combgpu__share_allocate(job, share);
}

/* Starts a slice on every idle device that has tasks, the CPU last: it works in here. RUNNING: a
   device has verified tasks instead, and is idle. */
COMBGPU__PRIVATE combgpu_status combgpu__start_idle(combgpu_job *job, int may_verify)
{
    int cpu, i;
    for (cpu = 0; cpu < 2; cpu++)
        for (i = 0; i < job->share_count; i++) {
            combgpu__share *share = &job->shares[i];
            uint32_t budget = i ? share->budget : job->budget;
            combgpu_status status;
            if (share->lost || share->running || cpu != (share->backend->id == COMBGPU_BACKEND_CPU))
                continue;
            status = combgpu__feed(job, share);
            if (!status && may_verify && share->pool_count && combgpu__verify_due(job)) {
                status = combgpu__verify(job, share);
                if (!status) return COMBGPU_RUNNING;
                return status < 0 ? combgpu__share_failed(job, job->verifying, status) : status;
            }
            if (combgpu__starving(job, share)) budget = budget / 4 + 1; /* it will want some soon */
            if (!status && share->pool_count) status = combgpu__slice_start(job, share, budget);
            while (status == COMBGPU_DEVICE_OUT_OF_MEMORY) {
                status = combgpu__share_shrink(job, share);
                if (status) break;
                status = combgpu__feed(job, share);
                if (!status && share->pool_count) status = combgpu__slice_start(job, share, budget);
            }
            if (status) return combgpu__share_failed(job, share, status);
        }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__look(const combgpu__worker *worker)
{
    combgpu_job *job = worker->job;
    double now = combgpu__now();
    int i;
    if (now < worker->looks->next) return;
    worker->looks->next = now + 2e-4;
    for (i = 0; i < job->share_count; i++)
        if (job->shares[i].running && job->shares[i].backend->id != COMBGPU_BACKEND_CPU &&
            combgpu__slice_poll(job, &job->shares[i]) != COMBGPU_RUNNING) {
#ifdef _OPENMP
#pragma omp atomic
#endif
            worker->slice->stop |= COMBGPU__STOP_OTHER;
        }
}

/* Starts what is idle, then waits until a slice ends and collects it. */
COMBGPU__PRIVATE combgpu_status combgpu__round(combgpu_job *job)
{
    double since = combgpu__now();
    int running = 1, ended = 0, i;
    combgpu_status status = job->broken ? job->broken : combgpu__start_idle(job, 1);
    if (status == COMBGPU_RUNNING) return COMBGPU_OK;
    if (status) return status;
    if (!combgpu__shares_alive(job)) return COMBGPU_DEVICE_ERROR;
    for (; running && !ended; combgpu__nap(since)) {
        running = 0;
        for (i = 0; i < job->share_count; i++) {
            combgpu__share *share = &job->shares[i];
            if (!share->running) continue;
            running = 1;
            if (combgpu__slice_poll(job, share) == COMBGPU_RUNNING) continue;
            ended = 1;
            status = combgpu__share_done(job, share);
            if (status > 0) return status; /* slice_done says it is enough */
            if (!status) status = combgpu__balance(job, share);
            if (status) return combgpu__share_failed(job, share, status);
        }
        if (ended) break;
    }
    return COMBGPU_OK;
}

/* Hands waiting records to the problem until it wants no more. */
COMBGPU__PRIVATE combgpu_status combgpu__deliver(combgpu_job *job)
{
    combgpu_status status = COMBGPU_RUNNING;
    while (status == COMBGPU_RUNNING && job->pending_next < job->pending_count) {
        const uint32_t *record = job->pending + job->pending_next++ * job->record_words;
        status = job->problem->record(job, record);
    }
    if (status != COMBGPU__LATER) return status;
    job->pending_next--;
    return COMBGPU_RUNNING;
}

/* ---- checkpoints of a run that goes on */

/* Writes the checkpoint file. In the middle of a run GPUs get their next slice before the disk has
   its turn. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint(combgpu_job *job)
{
    unsigned char *bytes;
    size_t size = 0;
    combgpu_status status = combgpu__serialize(job, &bytes, &size);
    if (!status && job->status == COMBGPU_RUNNING && job->ctx->device.is_gpu)
        job->broken = combgpu__start_idle(job, 0);
    if (!status) {
        combgpu__seal(bytes, size);
        status = combgpu__checkpoint_write(job, bytes, size);
    }
    if (status == COMBGPU_OK) {
        job->checkpoints++;
        combgpu__release(job->ctx, job->snapshot); /* the file has it, or this is newer */
        job->snapshot = NULL;
        if (combgpu__shares_alive(job) > 1) {
            job->snapshot = bytes;
            job->snapshot_bytes = size;
            bytes = NULL;
            job->last_snapshot = combgpu__now();
        }
    } else
        job->checkpoint_errors++;
    combgpu__release(job->ctx, bytes);
    return status;
}

/* All devices have failed: the last snapshot is what there is. */
COMBGPU__PRIVATE void combgpu__checkpoint_last(combgpu_job *job)
{
    char why[sizeof job->ctx->message];
    memcpy(why, job->ctx->message, sizeof why);
    if (combgpu__checkpoint_write(job, job->snapshot, job->snapshot_bytes) == COMBGPU_OK)
        job->checkpoints++;
    else
        job->checkpoint_errors++;
    memcpy(job->ctx->message, why, sizeof why);
}

/* ---- what is told of a job */

COMBGPU__PRIVATE void combgpu__report(const combgpu_job *job, const combgpu__share *share,
                                      combgpu_device_report *report)
{
    memset(report, 0, sizeof *report);
    report->backend = share->backend->id;
    report->index = report->backend == share->ctx->device.backend ? share->ctx->device.index : 0;
    report->lost = share->lost != 0;
    if (report->backend != share->ctx->device.backend) /* a search that runs on the CPU alone */
        snprintf(report->name, sizeof report->name, "CPU, %u thread%s", share->workers,
                 share->workers == 1 ? "" : "s");
    else
        snprintf(report->name, sizeof report->name, "%.63s", share->ctx->device.name);
    report->steps_per_s = share->lost || job->status != COMBGPU_RUNNING ? 0 : share->speed;
    report->seconds = share->seconds;
    report->steps = share->steps;
    report->slices = share->slices;
    report->tasks_left = share->pool_count;
    report->verified = share->verified;
    report->mismatches = share->mismatches;
    report->errors = share->errors;
}

/* Fills the part of a result that is the same for all searches. */
COMBGPU__PRIVATE void combgpu__run_info(const combgpu_job *job, uint64_t checksum,
                                        combgpu_run_info *info)
{
    int i;
    memset(info, 0, sizeof *info);
    info->status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    for (i = 0; i < job->share_count; i++) {
        combgpu_device_report *report = &info->devices[info->device_count++];
        combgpu__report(job, &job->shares[i], report);
        info->verified += report->verified;
        info->mismatches += report->mismatches;
        info->device_errors += report->errors;
    }
    info->backend = info->devices[0].backend;
    if (info->device_count > 1)
        snprintf(info->device, sizeof info->device, "%.63s and %d more", info->devices[0].name,
                 info->device_count - 1);
    else if (info->backend == job->ctx->device.backend)
        snprintf(info->device, sizeof info->device, "%s", job->ctx->device.name);
    else
        snprintf(info->device, sizeof info->device, "%s", info->devices[0].name);
    info->checkpoints = job->checkpoints;
    info->checkpoint_errors = job->checkpoint_errors;
    info->seconds = job->earlier_s + combgpu__now() - job->started;
    info->device_seconds = job->device_s;
    info->steps = job->sums[0];
    info->slices = job->slices;
    info->tasks_left = combgpu__tasks_left(job);
    info->checksum = checksum;
}

/* The end of an _end function: tells how the job went and frees it. */
COMBGPU__PRIVATE combgpu_status combgpu__job_ended(combgpu_job *job, uint64_t checksum,
                                                   combgpu_run_info *info)
{
    combgpu__run_info(job, checksum, info);
    combgpu_job_cancel(job);
    return info->status;
}

/* ---- how much is left: samples of the tree below the tasks that wait

   A sample begins with every k-th task, from a random one on, and a weight of k. Each is worked by
   the C solver for a few steps; of all tasks that they give back every j-th is kept, ordered by how
   deep in its search stack it lay, and weights grow by j: until nothing is left. The sum of steps by
   weight is an unbiased estimate of all steps below the tasks, whatever they are, so left-over and
   fresh tasks need not be told apart. Its relative error per sample is 0.2 to 1.2 with these sizes
   (no-three-in-line, rot4 n = 30 and all n = 12); fewer tasks or more steps at a time, or tasks
   chosen by their depth in the stack, were not better for the same number of steps. */

#define COMBGPU__SAMPLE_TASKS 256      /* before a run */
#define COMBGPU__SAMPLE_TASKS_SMALL 64 /* for progress: a quarter of the time, twice the error */
#define COMBGPU__SAMPLE_STEPS 16

typedef struct combgpu__sampler {
    uint32_t *now, *next, *records, *work;
    uint16_t *level; /* of each task in `next`: how many were given back before it */
    size_t *order;
    size_t tasks; /* room in `now`; `next` has room for what they all give back */
} combgpu__sampler;

COMBGPU__PRIVATE void combgpu__sampler_close(combgpu_job *job, combgpu__sampler *sampler)
{
    combgpu__release(job->ctx, sampler->now);
    combgpu__release(job->ctx, sampler->next);
    combgpu__release(job->ctx, sampler->records);
    combgpu__release(job->ctx, sampler->work);
    combgpu__release(job->ctx, sampler->level);
    combgpu__release(job->ctx, sampler->order);
    memset(sampler, 0, sizeof *sampler);
}

COMBGPU__PRIVATE combgpu_status combgpu__sampler_open(combgpu_job *job, size_t most,
                                                      combgpu__sampler *sampler)
{
    size_t task_bytes = job->task_words * sizeof(uint32_t), room;
    size_t given = (size_t)job->kernel.left_per_worker + 1;
    size_t per_worker = job->cpu_work_bytes_per_worker ? job->cpu_work_bytes_per_worker
                                                       : job->work_bytes_per_worker;
    memset(sampler, 0, sizeof *sampler);
    sampler->tasks = ((size_t)8 << 20) / (given * task_bytes);
    if (sampler->tasks > most) sampler->tasks = most;
    if (sampler->tasks < 16) sampler->tasks = 16;
    room = sampler->tasks * given;
    sampler->now = (uint32_t *)combgpu__allocate(job->ctx, sampler->tasks * task_bytes);
    sampler->next = (uint32_t *)combgpu__allocate(job->ctx, combgpu__bytes(room, task_bytes));
    sampler->level = (uint16_t *)combgpu__allocate(job->ctx, room * sizeof(uint16_t));
    sampler->order = (size_t *)combgpu__allocate(job->ctx, (given + 1) * sizeof(size_t));
    sampler->records = (uint32_t *)combgpu__allocate(
        job->ctx, combgpu__bytes(job->record_capacity, job->record_words * sizeof(uint32_t)));
    sampler->work =
        (uint32_t *)combgpu__allocate_zeroed(job->ctx, job->work_bytes_shared + per_worker);
    if (sampler->now && sampler->next && sampler->level && sampler->order && sampler->records &&
        sampler->work)
        return COMBGPU_OK;
    combgpu__sampler_close(job, sampler);
    return combgpu__no_memory(job->ctx, combgpu__bytes(room, task_bytes));
}

/* 0 <= value < 1, the next one of a sequence. */
COMBGPU__PRIVATE double combgpu__random_part(uint64_t *state)
{
    *state = combgpu__mix(*state);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Works the tasks of `now` for some steps each; what they give back goes to `next`. */
COMBGPU__PRIVATE uint64_t combgpu__sample_round(combgpu_job *job, combgpu__sampler *sampler,
                                                size_t tasks, size_t *given)
{
    uint64_t steps = 0;
    size_t i;
    uint32_t k;
    *given = 0;
    for (i = 0; i < tasks; i++) {
        combgpu__worker worker;
        combgpu__slice slice;
        memset(&worker, 0, sizeof worker);
        memset(&slice, 0, sizeof slice);
        slice.task_count = slice.workers = 1;
        slice.left_capacity = (uint32_t)job->kernel.left_per_worker;
        slice.record_capacity = job->record_capacity;
        slice.budget = slice.least = COMBGPU__SAMPLE_STEPS;
        slice.task_words = job->task_words;
        slice.record_words = job->record_words;
        worker.job = job;
        worker.slice = &slice;
        worker.tables = job->tables;
        worker.tasks = sampler->now + i * job->task_words;
        worker.left = sampler->next + *given * job->task_words;
        worker.records = sampler->records;
        worker.work = sampler->work;
        job->kernel.solve(&worker);
        steps += worker.totals[0];
        for (k = 0; k < slice.left_count; k++)
            sampler->level[*given + k] = (uint16_t)(k < 65535 ? k : 65535);
        *given += slice.left_count;
    }
    return steps;
}

/* Keeps every stride-th of the tasks given back, from a random one on, in the order of their
   levels. Returns how many. */
COMBGPU__PRIVATE size_t combgpu__sample_thin(const combgpu_job *job, combgpu__sampler *sampler,
                                             size_t given, double *weight, uint64_t *state)
{
    size_t bytes = job->task_words * sizeof(uint32_t), i, kept = 0;
    size_t keep = given < sampler->tasks ? given : sampler->tasks;
    size_t levels = (size_t)job->kernel.left_per_worker + 1;
    double stride = keep ? (double)given / (double)keep : 1;
    double first = keep < given ? combgpu__random_part(state) : 0;
    memset(sampler->order, 0, (levels + 1) * sizeof *sampler->order);
    for (i = 0; i < given; i++)
        sampler->order[sampler->level[i] + 1]++;
    for (i = 1; i <= levels; i++)
        sampler->order[i] += sampler->order[i - 1];
    for (i = 0; i < given;
         i++) { /* place `at` is kept if some (number + first) * stride is in it */
        double at = (double)sampler->order[sampler->level[i]]++;
        double number = combgpu__ceil(at / stride - first);
        if (number < 0) number = 0;
        if ((number + first) * stride < at + 1 && number < (double)keep)
            memcpy(sampler->now + kept++ * job->task_words, sampler->next + i * job->task_words,
                   bytes);
        if (kept == sampler->tasks) break;
    }
    *weight *= stride;
    return kept;
}

/* One sample of the steps below the first job->sample_count tasks of the reserve; negative: this search gives back tasks
   that are none the smaller. */
COMBGPU__PRIVATE double combgpu__sample(combgpu_job *job, combgpu__sampler *sampler, uint64_t state)
{
    size_t count = job->sample_count, tasks, given, i;
    double weight, first, sum = 0;
    tasks = count < sampler->tasks ? count : sampler->tasks;
    weight = tasks ? (double)count / (double)tasks : 1;
    first = tasks < count ? combgpu__random_part(&state) : 0;
    for (i = 0; i < tasks; i++) {
        size_t from = (size_t)(((double)i + first) * weight);
        memcpy(sampler->now + i * job->task_words,
               job->reserve + (from < count ? from : count - 1) * job->task_words,
               job->task_words * sizeof(uint32_t));
    }
    while (tasks) {
        uint64_t steps = combgpu__sample_round(job, sampler, tasks, &given);
        if (!steps && given) return -1;
        sum += weight * (double)steps;
        tasks = combgpu__sample_thin(job, sampler, given, &weight, &state);
    }
    return sum;
}

/* Takes `count` samples of at most `most` tasks at once, each with its own part of the seed, with all
   threads of the host. */
COMBGPU__PRIVATE combgpu_status combgpu__sample_many(combgpu_job *job, uint64_t seed, int count,
                                                     size_t most, double *values)
{
    combgpu__sampler *samplers;
    combgpu_status status = COMBGPU_OK;
    int threads = 1, opened = 0, i;
#ifdef _OPENMP
    threads = job->ctx->desc.threads ? job->ctx->desc.threads : omp_get_max_threads();
    if (threads > 16) threads = 16;
    if (threads > count) threads = count;
#endif
    if (!job->sample_count) job->sample_count = job->reserve_count;
    samplers =
        (combgpu__sampler *)combgpu__allocate_zeroed(job->ctx, (size_t)threads * sizeof *samplers);
    if (!samplers) {
        job->sample_count = 0;
        return combgpu__no_memory(job->ctx, (size_t)threads * sizeof *samplers);
    }
    while (opened < threads && !status)
        status = combgpu__sampler_open(job, most, &samplers[opened++]);
    if (!status) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
#endif
        for (i = 0; i < count; i++) {
            int thread = 0;
#ifdef _OPENMP
            thread = omp_get_thread_num();
#endif
            values[i] = combgpu__sample(job, &samplers[thread],
                                        combgpu__mix(seed + combgpu__mix((uint64_t)i)));
        }
    }
    for (i = 0; i < opened; i++)
        combgpu__sampler_close(job, &samplers[i]);
    combgpu__release(job->ctx, samplers);
    job->sample_count = 0;
    return status;
}

/* Mean and sum of squared deviations. */
COMBGPU__PRIVATE void combgpu__spread(const double *values, int count, double *mean,
                                      double *squares)
{
    int i;
    *mean = *squares = 0;
    for (i = 0; i < count; i++)
        *mean += values[i] / count;
    for (i = 0; i < count; i++)
        *squares += (values[i] - *mean) * (values[i] - *mean);
}

/* The part of the search that the tasks made so far are. What estimates say of the rest has no known
   error. */
COMBGPU__PRIVATE double combgpu__begun(const combgpu_job *job)
{
    return job->begun ? job->begun(job) : 1;
}

/* Expected steps of the whole job by all looks so far, at least those done and to be done. */
COMBGPU__PRIVATE double combgpu__outlook_steps(const combgpu_job *job)
{
    const combgpu__outlook *outlook = &job->outlook;
    double least = (double)job->sums[0] + (double)combgpu__tasks_left(job);
    double steps = outlook->weight > 0 ? outlook->steps / outlook->weight : 0;
    return steps > least ? steps : least;
}

/* Looks at what is left, if that is due: 5 % of the first ten seconds goes into it and 1 % of the
   others, after a first batch. Every look estimates
   the steps of the whole job; the later ones, with less left to be wrong about, weigh more. The
   weight does not depend on the look's own samples, or low ones would pull the mean down. */
COMBGPU__PRIVATE combgpu_status combgpu__outlook_look(combgpu_job *job)
{
    enum { BATCH = 4 };
    combgpu__outlook *outlook = &job->outlook;
    double begin = combgpu__now(), here = begin - job->started, values[BATCH];
    double part, mean, squares, weight, done, rest;
    combgpu_status status;
    size_t left = 0; /* 0: the whole reserve */
    int count = 0, i;
    part = here < 10 ? 0.05 * here : 0.4 + 0.01 * here;
    if (job->share_count > 1) part *= 0.4; /* they wait for each other */
    part -= outlook->spent;
    if (outlook->impossible || here < outlook->next || part < outlook->cost || here < 0.2)
        return COMBGPU_OK;
    status = combgpu__gather(job);
    if (status || !job->reserve_count) return status;
    if (job->ctx->device.is_gpu &&
        !job->broken) {            /* GPUs work meanwhile: what they took from the */
        left = job->reserve_count; /* reserve stays readable until they give back */
        i = combgpu__shares_alive(job);
        job->broken = combgpu__start_idle(job, 0);
        if (job->broken || i != combgpu__shares_alive(job)) return COMBGPU_OK; /* next time */
    }
    do {
        job->sample_count = left;
        status =
            combgpu__sample_many(job, ++outlook->seed, BATCH, COMBGPU__SAMPLE_TASKS_SMALL, values);
        for (i = 0; i < BATCH && !status; i++)
            outlook->impossible |= values[i] < 0;
        if (status || outlook->impossible) break;
        combgpu__spread(values, BATCH, &mean, &squares);
        if (mean > 0) {
            outlook->spread += squares / (mean * mean);
            outlook->freedom += BATCH - 1;
        }
        done = (double)job->sums[0];
        rest = outlook->weight > 0 ? combgpu__outlook_steps(job) - done : done + mean;
        weight = 1 / (rest * rest + 1);
        if (combgpu__begun(job) < 1) /* a guess, which the next look knows better */
            outlook->weight = outlook->steps = outlook->variance = 0;
        outlook->weight += weight;
        outlook->steps += weight * (done + mean) / combgpu__begun(job);
        outlook->variance += weight * weight * mean * mean / (double)BATCH;
        count++;
    } while (combgpu__now() - begin < 0.5 * part);
    outlook->cost = (combgpu__now() - begin) / (count ? count : 1);
    outlook->spent += combgpu__now() - begin;
    outlook->next = 1.15 * here + 0.02;
    if (status == COMBGPU_OUT_OF_MEMORY) { /* no estimate is no reason to end a run */
        job->ctx->message[0] = 0;
        outlook->impossible = 1;
        status = COMBGPU_OK;
    }
    return status;
}

/* Fraction, time left and its error from the samples. */
COMBGPU__PRIVATE void combgpu__outlook_tell(combgpu_job *job, combgpu_progress *progress)
{
    const combgpu__outlook *outlook = &job->outlook;
    double steps = combgpu__outlook_steps(job), rest = steps - (double)progress->steps, error;
    if (!(outlook->weight > 0)) return;
    progress->fraction = (double)progress->steps / steps;
    if (!(progress->steps_per_s > 0)) return;
    error = combgpu__sqrt(outlook->variance * outlook->spread / outlook->freedom) / outlook->weight;
    progress->remaining_s = rest / progress->steps_per_s;
    if (combgpu__begun(job) < 1) return;
    progress->remaining_error_s = 1.96 * error / progress->steps_per_s;
}

COMBGPU__DEF combgpu_status combgpu_job_progress(combgpu_job *job, combgpu_progress *progress)
{
    int i;
    double here;
    combgpu_status status = COMBGPU_OK;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (!progress) return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "progress is NULL");
    if (!job->problem->fraction && job->status != COMBGPU_OK && !combgpu__job_failed(job))
        status = combgpu__outlook_look(job);
    here = combgpu__now() - job->started;
    memset(progress, 0, sizeof *progress);
    progress->tasks_left = combgpu__tasks_left(job);
    for (i = 0; i < job->share_count; i++)
        combgpu__report(job, &job->shares[i], &job->reports[i]);
    progress->devices = job->reports;
    progress->device_count = job->share_count;
    progress->steps = job->sums[0];
    progress->elapsed_s = job->earlier_s + here;
    progress->steps_per_s = here > 0 ? (double)(job->sums[0] - job->steps_at_start) / here : 0;
    progress->solutions = job->problem->solutions ? job->problem->solutions(job) : 0;
    progress->remaining_s = progress->remaining_error_s = -1;
    if (job->problem->fraction) {
        progress->fraction = job->problem->fraction(job);
        if (progress->fraction > 0.001 && progress->fraction <= 1)
            progress->remaining_s = progress->elapsed_s * (1 / progress->fraction - 1);
    } else
        combgpu__outlook_tell(job, progress);
    /* an estimate, and a resumed job's comes from a file */
    if (!(progress->fraction >= job->outlook.shown)) progress->fraction = job->outlook.shown;
    if (progress->fraction > 1) progress->fraction = 1;
    if (job->status == COMBGPU_OK) {
        progress->fraction = 1;
        progress->remaining_s = progress->remaining_error_s = 0;
    }
    job->outlook.shown = progress->fraction;
    return status;
}

/* ---- a step */

COMBGPU__PRIVATE void combgpu__job_close_devices(combgpu_job *job)
{
    int i;
    for (i = 0; i < job->share_count; i++)
        combgpu__share_close(job, &job->shares[i]);
    combgpu__share_close(job, &job->checker);
    combgpu__release(job->ctx, job->shares);
    combgpu__release(job->ctx, job->reports);
    job->shares = NULL;
    job->reports = NULL;
    job->share_count = 0;
}

/* The job goes on with its next kernel, on the devices that have it; if they have too little memory
   it stays with the one that it has. */
COMBGPU__PRIVATE combgpu_status combgpu__job_move(combgpu_job *job)
{
    combgpu__kernel before = job->kernel;
    combgpu_status status = combgpu__gather(job);
    if (status) return status;
    combgpu__job_close_devices(job);
    job->kernel = *job->next_kernel;
    job->next_kernel = NULL;
    job->moved = 1;
    status = combgpu__job_devices(job);
    if (status == COMBGPU_DEVICE_OUT_OF_MEMORY) {
        combgpu__log(job->ctx, COMBGPU_LOG_WARNING, "the search stays on the CPU: %.400s",
                     job->ctx->message);
        job->ctx->message[0] = 0;
        combgpu__job_close_devices(job);
        job->kernel = before;
        status = combgpu__job_devices(job);
    }
    return !status && job->share_count > 1 ? combgpu__snapshot(job) : status;
}

COMBGPU__DEF combgpu_status combgpu_step(combgpu_job *job)
{
    combgpu_status status;
    double now, interval;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (combgpu__job_failed(job) || job->status == COMBGPU_OK) return job->status;
    status = combgpu__deliver(job); /* what an earlier stop left undelivered */
    if (status == COMBGPU_RUNNING) {
        status = job->next_kernel ? combgpu__job_move(job) : COMBGPU_OK;
        if (!status && combgpu__snapshot_due(job)) status = combgpu__snapshot(job);
        if (!status) status = combgpu__round(job);
        if (!status) status = combgpu__deliver(job);
        if (status == COMBGPU_RUNNING && !combgpu__tasks_left(job)) status = COMBGPU_OK;
    }
    if (status == COMBGPU_DEVICE_ERROR && job->snapshot && job->checkpoint_path)
        combgpu__checkpoint_last(job);
    now = combgpu__now();
    interval = job->run.progress_interval_s > 0 ? job->run.progress_interval_s : 0.1;
    if (status >= 0) {
        job->status = status; /* what progress looks at */
        if (job->run.progress &&
            (status != COMBGPU_RUNNING || now - job->last_progress >= interval)) {
            combgpu_progress progress;
            combgpu_status failed = combgpu_job_progress(job, &progress);
            if (failed < 0) return job->status = failed;
            job->last_progress = now;
            if (job->run.progress(&progress, job->run.progress_user) && status == COMBGPU_RUNNING)
                status = COMBGPU_STOPPED;
        }
        if (status == COMBGPU_RUNNING && job->run.time_limit_s > 0 &&
            now - job->started >= job->run.time_limit_s)
            status = COMBGPU_STOPPED;
        interval = job->run.checkpoint_interval_s > 0 ? job->run.checkpoint_interval_s : 60;
        if (job->checkpoint_path &&
            (status != COMBGPU_RUNNING || now - job->last_checkpoint >= interval)) {
            combgpu_status saved;
            job->status = status;
            saved = combgpu__checkpoint(job);
            job->last_checkpoint = combgpu__now();
            /* in the middle of a run the message went to the logger, and the run goes on */
            if (saved && status != COMBGPU_RUNNING) status = saved;
        }
    }
    job->status = status;
    return status;
}

/* ---- an estimate before a long run */

/* Runs the job for some seconds. Speeds of the first and second half of the time after a start of a
   quarter of it, in which slices find their length. */
COMBGPU__PRIVATE combgpu_status combgpu__calibrate(combgpu_job *job, double seconds, double *first,
                                                   double *second)
{
    double begin = combgpu__now(), at[3];
    uint64_t steps[3], before = job->sums[0];
    combgpu_status status = COMBGPU_RUNNING;
    int mark = 0;
    while (mark < 3) {
        double now = combgpu__now();
        if (now - begin >= seconds * (mark == 0 ? 0.25 : mark == 1 ? 0.625 : 1)) {
            steps[mark] = job->sums[0];
            at[mark++] = now;
        }
        if (mark < 3) status = combgpu_step(job);
        if (status != COMBGPU_RUNNING) return status;
    }
    *first = (double)(steps[1] - steps[0]) / (at[1] - at[0] > 0 ? at[1] - at[0] : 1e-9);
    *second = (double)(steps[2] - steps[1]) / (at[2] - at[1] > 0 ? at[2] - at[1] : 1e-9);
    if (steps[1] == steps[0] || steps[2] == steps[1]) /* a slice took most of the time */
        *first = *second = (double)(steps[2] - before) / (at[2] - begin > 0 ? at[2] - begin : 1e-9);
    return COMBGPU_RUNNING;
}

COMBGPU__DEF combgpu_status combgpu_job_estimate(combgpu_job *job,
                                                 const combgpu_estimate_desc *desc,
                                                 combgpu_estimate *estimate)
{
    combgpu_estimate_desc defaults;
    double *values = NULL, mean, squares, begun, first = 0, second = 0, rest, sampled;
    combgpu_status status;
    int i;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (!estimate) return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "estimate is NULL");
    memset(&defaults, 0, sizeof defaults);
    if (!desc) desc = &defaults;
    if (desc->samples && (desc->samples < 2 || desc->samples > 100000))
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.samples is %d; it may be 0 (default) or 2 to 100000",
                             desc->samples);
    if (!(desc->calibrate_s >= 0 && desc->calibrate_s <= 1e6))
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.calibrate_s is %g; it may be 0 (default) to 1e6 seconds",
                             desc->calibrate_s);
    if (combgpu__job_failed(job))
        return combgpu__fail(job->ctx, job->status, "the job has failed before");
    memset(estimate, 0, sizeof *estimate);
    estimate->steps_error = estimate->seconds_error = estimate->seconds = -1;
    begun = combgpu__now();
    status = combgpu__gather(job);
    if (status) return status;
    estimate->tasks = job->reserve_count;
    estimate->steps = (double)job->sums[0];
    if (!job->problem->fraction) {
        estimate->samples = desc->samples ? desc->samples : 64;
        values = (double *)combgpu__allocate(job->ctx, (size_t)estimate->samples * sizeof *values);
        if (!values)
            return combgpu__no_memory(job->ctx, (size_t)estimate->samples * sizeof *values);
        status =
            combgpu__sample_many(job, desc->seed, estimate->samples, COMBGPU__SAMPLE_TASKS, values);
        combgpu__spread(values, estimate->samples, &mean, &squares);
        for (i = 0; i < estimate->samples && !status; i++)
            if (values[i] < 0) estimate->samples = 0;
        combgpu__release(job->ctx, values);
        if (status) return status;
        if (estimate->samples) {
            double part = combgpu__begun(job);
            estimate->steps = (estimate->steps + mean) / part;
            if (part == 1)
                estimate->steps_error =
                    combgpu__sqrt(squares / (estimate->samples - 1.0) / estimate->samples);
        }
    }
    sampled = combgpu__now();
    status = job->status == COMBGPU_OK
                 ? COMBGPU_OK
                 : combgpu__calibrate(job, desc->calibrate_s > 0 ? desc->calibrate_s : 1, &first,
                                      &second);
    if (status < 0 || status == COMBGPU_FOUND || status == COMBGPU_STOPPED) return status;
    estimate->steps_per_s = (first + second) / 2;
    if (status == COMBGPU_OK) { /* nothing to estimate any more */
        double here = combgpu__now() - sampled;
        estimate->done = 1;
        estimate->steps = (double)job->sums[0];
        estimate->steps_per_s = here > 0 ? (double)(job->sums[0] - job->steps_at_start) / here : 0;
        estimate->seconds = here;
        estimate->steps_error = estimate->seconds_error = 0;
        return COMBGPU_OK;
    }
    if (job->problem->fraction && job->problem->fraction(job) > 0)
        estimate->steps = (double)job->sums[0] / job->problem->fraction(job);
    else if (!estimate->samples)
        return COMBGPU_OK;
    rest = estimate->steps - (double)job->sums[0];
    if (estimate->steps_per_s > 0) {
        double unsteady = (first - second) / (first + second), error;
        estimate->seconds = combgpu__now() - begun + (rest > 0 ? rest / estimate->steps_per_s : 0);
        error = estimate->steps_error / estimate->steps_per_s;
        if (estimate->steps_error >= 0)
            estimate->seconds_error = combgpu__sqrt(
                error * error + unsteady * unsteady * estimate->seconds * estimate->seconds);
    }
    return COMBGPU_OK;
}

/* ---- a job begins and ends */

/* For an _end function: `is` says whether the job is one of its own. */
COMBGPU__PRIVATE combgpu_status combgpu__is_job(combgpu_job *job, int is, const char *begin)
{
    if (is) return COMBGPU_OK;
    return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                         "job is of the kind \"%s\", not one of %s", job->problem->name, begin);
}

/* The last call of a problem's begin: resumes or makes the frontier, prepares the device. */
COMBGPU__PRIVATE combgpu_status combgpu__job_start(combgpu_job *job)
{
    combgpu_status status = job->run.self_test ? combgpu_self_test(job->ctx) : COMBGPU_OK;
    int loaded = 0;
    if (status) return status;
    if (job->run.self_test) job->started = combgpu__now(); /* it is no part of the time limit */
    if (job->checkpoint_path) status = combgpu__checkpoint_lock(job);
    if (!status && job->checkpoint_path) status = combgpu__checkpoint_load(job, &loaded);
    if (!status && job->checkpoint_path) status = combgpu__checkpoint_try(job);
    if (!status && job->run.resume_data) {
        status = combgpu__deserialize(job, (const unsigned char *)job->run.resume_data,
                                      job->run.resume_bytes, "resume_data");
        loaded = 1;
    }
    if (!status && job->run.merge_paths) {
        status = combgpu__merge(job);
        loaded = 1;
    }
    if (!status && !loaded) status = job->problem->frontier(job);
    if (!status) status = combgpu__job_devices(job);
    if (!status) combgpu__deal(job);
    if (!status && (job->share_count > 1 || (job->checkpoint_path && !loaded)))
        status = combgpu__snapshot(job);
    job->run.resume_data = NULL;
    return status;
}

/* Ends a begin: on failure frees the job, on success hands it out. */
COMBGPU__PRIVATE combgpu_status combgpu__job_begun(combgpu_job *job, combgpu_status status,
                                                   combgpu_job **out)
{
    *out = status ? NULL : job;
    if (status) combgpu_job_cancel(job);
    return status;
}

/* Frees everything; the problem's release comes first, while the state is whole. */
COMBGPU__DEF void combgpu_job_cancel(combgpu_job *job)
{
    combgpu_context *ctx;
    int i;
    if (!job) return;
    ctx = job->ctx;
    for (i = 0; i < job->share_count; i++)
        combgpu__share_close(job, &job->shares[i]);
    combgpu__share_close(job, &job->checker);
    if (job->state && job->problem->release) job->problem->release(job);
    combgpu__checkpoint_unlock(job);
    combgpu__release(ctx, job->shares);
    combgpu__release(ctx, job->reports);
    combgpu__release(ctx, job->snapshot);
    combgpu__release(ctx, job->state);
    combgpu__release(ctx, job->tables);
    combgpu__release(ctx, job->checkpoint_path);
    combgpu__release(ctx, job->reserve);
    combgpu__release(ctx, job->pending);
    combgpu__release(ctx, job);
}

/* Runs a begun job to its end; for the one-shot forms. */
COMBGPU__PRIVATE void combgpu__run(combgpu_job *job)
{
    while (combgpu_step(job) == COMBGPU_RUNNING) {
    }
}

/* ================================================================= SECTION 12: the backends == */

/* ---- CPU: memory is host memory, a worker is a thread */

COMBGPU__PRIVATE int combgpu__cpu_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

COMBGPU__PRIVATE int combgpu__cpu_devices(combgpu_device *devices, int capacity)
{
    if (capacity > 0) {
        memset(devices, 0, sizeof *devices);
        devices->backend = COMBGPU_BACKEND_CPU;
        devices->compute_units = combgpu__cpu_threads();
        snprintf(devices->name, sizeof devices->name, "CPU, %d thread%s", devices->compute_units,
                 devices->compute_units == 1 ? "" : "s");
#ifdef _OPENMP
        snprintf(devices->capability, sizeof devices->capability, "C99, OpenMP");
#else
        snprintf(devices->capability, sizeof devices->capability, "C99");
#endif
    }
    return 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_open(combgpu_context *ctx)
{
    int threads = ctx->desc.threads ? ctx->desc.threads : combgpu__cpu_threads();
#ifndef _OPENMP
    threads = 1;
#endif
    combgpu__cpu_devices(&ctx->device, 1);
    ctx->device.compute_units = threads;
    snprintf(ctx->device.name, sizeof ctx->device.name, "CPU, %d thread%s", threads,
             threads == 1 ? "" : "s");
    ctx->free_bytes = 0; /* no limit of our own: malloc says */
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__cpu_close(combgpu_context *ctx)
{
    (void)ctx;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_prepare(combgpu_context *ctx,
                                                     const combgpu__kernel *kernel, void **program,
                                                     uint32_t *workers)
{
    int threads = ctx->desc.threads ? ctx->desc.threads : combgpu__cpu_threads();
    (void)kernel;
#ifndef _OPENMP
    threads = 1;
#endif
    *program = NULL;
    *workers = (uint32_t)threads; /* not of ctx->device: that may be a GPU */
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__cpu_forget(combgpu_context *ctx, void *program)
{
    (void)ctx, (void)program;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_allocate(combgpu_context *ctx, size_t bytes,
                                                      combgpu__memory *memory)
{
    memory->handle = combgpu__allocate(ctx, bytes);
    memory->bytes = bytes;
    return memory->handle ? COMBGPU_OK : combgpu__no_memory(ctx, bytes);
}

COMBGPU__PRIVATE void combgpu__cpu_release(combgpu_context *ctx, combgpu__memory *memory)
{
    combgpu__release(ctx, memory->handle);
    memory->handle = NULL;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_upload(combgpu_context *ctx, combgpu__memory *to,
                                                    size_t offset, const void *from, size_t bytes)
{
    (void)ctx;
    memcpy((char *)to->handle + offset, from, bytes);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_download(combgpu_context *ctx, void *to,
                                                      const combgpu__memory *from, size_t offset,
                                                      size_t bytes)
{
    (void)ctx;
    memcpy(to, (const char *)from->handle + offset, bytes);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_copy(combgpu_context *ctx, combgpu__memory *to,
                                                  size_t to_offset, const combgpu__memory *from,
                                                  size_t from_offset, size_t bytes)
{
    (void)ctx;
    memcpy((char *)to->handle + to_offset, (const char *)from->handle + from_offset, bytes);
    return COMBGPU_OK;
}

/* One worker's slice: the solver on private totals, which are then added to the slice's. */
COMBGPU__PRIVATE void combgpu__cpu_worker(const combgpu__launch *launch, uint32_t index)
{
    combgpu__worker worker;
    combgpu__looks looks = {0, 0};
    int i;
    memset(&worker, 0, sizeof worker);
    worker.job = launch->job;
    worker.slice = (combgpu__slice *)launch->control->handle;
    worker.tables = (const uint32_t *)launch->tables->handle;
    worker.tasks = (const uint32_t *)launch->tasks->handle;
    worker.left = (uint32_t *)launch->left->handle;
    worker.records = (uint32_t *)launch->records->handle;
    worker.work = (uint32_t *)launch->work->handle;
    worker.index = index;
    if (!index && launch->job->share_count > 1) worker.looks = &looks; /* the caller's thread */
    launch->kernel->solve(&worker);
#ifdef _OPENMP
#pragma omp critical(combgpu__totals)
#endif
    for (i = 0; i < COMBGPU__TOTALS; i++)
        combgpu__put64(worker.slice->totals + 2 * i,
                       combgpu__get64(worker.slice->totals + 2 * i) + worker.totals[i]);
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_start(combgpu_context *ctx, combgpu__launch *launch)
{
    double begin = combgpu__now();
    int i, workers = (int)launch->workers;
    (void)ctx;
#ifdef _OPENMP
#pragma omp parallel for num_threads(workers) schedule(static, 1)
#endif
    for (i = 0; i < workers; i++)
        combgpu__cpu_worker(launch, (uint32_t)i);
    launch->seconds = combgpu__now() - begin;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    (void)ctx, (void)launch;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_adopt(combgpu_context *ctx,
                                                   const combgpu_device_memory *from,
                                                   combgpu__memory *to, size_t *shift)
{
    (void)ctx;
    to->handle = from->memory;
    to->bytes = from->offset + from->bytes;
    *shift = from->offset;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cpu_fill(combgpu_context *ctx, combgpu__memory *memory,
                                                  size_t offset, int value, size_t bytes,
                                                  double *seconds)
{
    double begin = combgpu__now();
    (void)ctx;
    combgpu__fill((unsigned char *)memory->handle + offset, value, bytes);
    *seconds = combgpu__now() - begin;
    return COMBGPU_OK;
}

static const combgpu__backend combgpu__cpu = {COMBGPU_BACKEND_CPU,   "cpu",
                                              combgpu__cpu_devices,  combgpu__cpu_open,
                                              combgpu__cpu_close,    combgpu__cpu_prepare,
                                              combgpu__cpu_forget,   combgpu__cpu_allocate,
                                              combgpu__cpu_release,  combgpu__cpu_upload,
                                              combgpu__cpu_download, combgpu__cpu_copy,
                                              combgpu__cpu_start,    combgpu__cpu_poll,
                                              combgpu__cpu_adopt,    combgpu__cpu_fill};

/* ---- the sidecars define combgpu__cuda and combgpu__opencl */
#ifdef COMBGPU_CUDA
#include "combgpu_cuda.cu"
#endif
#ifdef COMBGPU_OPENCL
#include "combgpu_cl.c"
#endif

/* In the order of combgpu_devices. */
static const combgpu__backend *const combgpu__backends[] = {
    &combgpu__cpu,
#ifdef COMBGPU_CUDA
    &combgpu__cuda,
#endif
#ifdef COMBGPU_OPENCL
    &combgpu__opencl,
#endif
};
#define COMBGPU__BACKENDS ((int)(sizeof combgpu__backends / sizeof combgpu__backends[0]))

COMBGPU__PRIVATE const combgpu__backend *combgpu__backend_of(combgpu_backend id)
{
    int i;
    for (i = 0; i < COMBGPU__BACKENDS; i++)
        if (combgpu__backends[i]->id == id) return combgpu__backends[i];
    return NULL;
}

COMBGPU__DEF combgpu_status combgpu_devices(combgpu_device *devices, int capacity, int *count)
{
    int i;
    if (!count || capacity < 0 || (capacity && !devices)) return COMBGPU_INVALID_ARGUMENT;
    *count = 0;
    for (i = 0; i < COMBGPU__BACKENDS; i++) {
        int room = capacity > *count ? capacity - *count : 0;
        *count += combgpu__backends[i]->devices(room ? devices + *count : NULL, room);
    }
    return COMBGPU_OK;
}

/* AUTO: a CUDA device, else the first OpenCL GPU, else the CPU. Sets desc.device for OpenCL. */
COMBGPU__PRIVATE combgpu_backend combgpu__auto_backend(combgpu_context_desc *desc)
{
    const combgpu__backend *backend = combgpu__backend_of(COMBGPU_BACKEND_CUDA);
    combgpu_device devices[16];
    int i, count;
    if (backend && backend->devices(NULL, 0) > desc->device) return COMBGPU_BACKEND_CUDA;
    backend = combgpu__backend_of(COMBGPU_BACKEND_OPENCL);
    if (backend) {
        count = backend->devices(devices, 16);
        for (i = 0; i < count && i < 16; i++)
            if (devices[i].is_gpu && !desc->device) {
                desc->device = i;
                return COMBGPU_BACKEND_OPENCL;
            }
    }
    return COMBGPU_BACKEND_CPU;
}

/* Opens the device that ctx->desc names. */
COMBGPU__PRIVATE combgpu_status combgpu__open_device(combgpu_context *ctx, const char *argument)
{
    const combgpu__backend *backend;
    combgpu_status status;
    int count;
    if (ctx->desc.device < 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is %d; it may be 0 or more",
                             argument, ctx->desc.device);
    if (ctx->desc.backend == COMBGPU_BACKEND_AUTO)
        ctx->desc.backend = combgpu__auto_backend(&ctx->desc);
    backend = combgpu__backend_of(ctx->desc.backend);
    if (!backend)
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE,
                             "this build has no %s backend: compile with COMBGPU_%s",
                             combgpu_backend_string(ctx->desc.backend),
                             ctx->desc.backend == COMBGPU_BACKEND_CUDA ? "CUDA" : "OPENCL");
    count = backend->devices(NULL, 0);
    if (count && ctx->desc.device >= count) /* where there is none, open says why */
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE, "%s is %d; there are %d %s devices, from 0 on",
                             argument, ctx->desc.device, count, backend->name);
    status = backend->open(ctx);
    if (!status) {
        ctx->backend = backend;
        combgpu__log(ctx, COMBGPU_LOG_INFO, "using %s: %s", backend->name, ctx->device.name);
    }
    return status;
}

/* Opens the devices after the first. One that is listed twice has its memory divided. */
COMBGPU__PRIVATE combgpu_status combgpu__open_others(combgpu_context *ctx,
                                                     const combgpu_device_id *devices, int count)
{
    combgpu_status status = COMBGPU_OK;
    int i, k;
    for (i = 1; i < count && !status; i++) {
        char argument[40];
        combgpu_context *other = (combgpu_context *)combgpu__allocate_zeroed(ctx, sizeof *other);
        if (!other) return combgpu__no_memory(ctx, sizeof *other);
        ctx->others[ctx->other_count++] = other;
        other->desc = ctx->desc;
        other->desc.backend = devices[i].backend ? devices[i].backend : ctx->desc.backend;
        other->desc.device = devices[i].index;
        snprintf(argument, sizeof argument, "desc.devices[%d].index", i);
        status = combgpu__open_device(other, argument);
        if (status) memcpy(ctx->message, other->message, sizeof ctx->message);
    }
    for (i = 0; i <= ctx->other_count && !status; i++) {
        combgpu_context *one = i ? ctx->others[i - 1] : ctx;
        uint64_t same = 0;
        for (k = 0; k < count; k++)
            same += (devices[k].backend ? devices[k].backend : ctx->desc.backend) ==
                        one->device.backend &&
                    devices[k].index == one->device.index;
        if (same) one->free_bytes /= same;
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__check_context(combgpu_context *ctx,
                                                       const combgpu_context_desc *desc)
{
    int i;
    if ((int)desc->backend < COMBGPU_BACKEND_AUTO || (int)desc->backend > COMBGPU_BACKEND_OPENCL)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.backend is %d; it may be 0 (auto), 1 (cpu), 2 (cuda), 3 (opencl)",
            (int)desc->backend);
    if (desc->threads < 0 || desc->threads > 4096)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.threads is %d; it may be 0 (all) to 4096", desc->threads);
    if (desc->device_count < 0 || desc->device_count > COMBGPU_MAX_DEVICES)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.device_count is %d; it may be 0 (desc.device alone) to %d",
                             desc->device_count, COMBGPU_MAX_DEVICES);
    if (!desc->devices != !desc->device_count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.devices is %s, but desc.device_count is %d",
                             desc->devices ? "set" : "NULL", desc->device_count);
    if (desc->opencl_queue && (desc->device_count || (desc->backend != COMBGPU_BACKEND_AUTO &&
                                                      desc->backend != COMBGPU_BACKEND_OPENCL)))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.opencl_queue is set, but desc.backend is %d (%s) and "
                             "desc.device_count %d; it goes with opencl and 0",
                             (int)desc->backend, combgpu_backend_string(desc->backend),
                             desc->device_count);
    if (desc->device_count && desc->device)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.device is %d; with desc.devices it must be 0", desc->device);
    for (i = 0; i < desc->device_count; i++)
        if ((int)desc->devices[i].backend < COMBGPU_BACKEND_AUTO ||
            (int)desc->devices[i].backend > COMBGPU_BACKEND_OPENCL)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.devices[%d].backend is %d; it may be 0 (desc.backend), "
                                 "1 (cpu), 2 (cuda), 3 (opencl)",
                                 i, (int)desc->devices[i].backend);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_open(combgpu_context **out, const combgpu_context_desc *desc)
{
    combgpu_context_desc defaults;
    combgpu_context *ctx;
    combgpu_status status;
    int paired;
    if (!out) return COMBGPU_INVALID_ARGUMENT;
    *out = NULL;
    memset(&defaults, 0, sizeof defaults);
    if (!desc) desc = &defaults;
    paired = !desc->allocator.allocate == !desc->allocator.release;
    ctx = paired && desc->allocator.allocate
              ? (combgpu_context *)desc->allocator.allocate(sizeof *ctx, desc->allocator.user)
              : (combgpu_context *)malloc(sizeof *ctx);
    if (!ctx) return COMBGPU_OUT_OF_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->desc = *desc;
    ctx->desc.devices = NULL; /* the caller's list need not persist */
    *out = ctx;
    if (!paired) {
        ctx->desc.allocator.allocate = NULL;
        ctx->desc.allocator.release = NULL;
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.allocator sets one of allocate and release; set both or neither");
    }
    status = combgpu__check_context(ctx, desc);
    if (status) return status;
    if (desc->opencl_queue) ctx->desc.backend = COMBGPU_BACKEND_OPENCL;
    if (desc->device_count) {
        if (desc->devices[0].backend) ctx->desc.backend = desc->devices[0].backend;
        ctx->desc.device = desc->devices[0].index;
    }
    status =
        combgpu__open_device(ctx, desc->device_count ? "desc.devices[0].index" : "desc.device");
    if (!status && desc->device_count)
        status = combgpu__open_others(ctx, desc->devices, desc->device_count);
    if (status && ctx->backend) { /* it serves only combgpu_message */
        ctx->backend->close(ctx);
        ctx->backend = NULL;
    }
    return status;
}

COMBGPU__DEF void combgpu_close(combgpu_context *ctx)
{
    combgpu_allocator allocator;
    if (!ctx) return;
    while (ctx->other_count)
        combgpu_close(ctx->others[--ctx->other_count]);
    combgpu__release(ctx, ctx->magic_index);
    if (ctx->backend && ctx->lost != COMBGPU__HUNG) ctx->backend->close(ctx);
    allocator = ctx->desc.allocator;
    if (allocator.release)
        allocator.release(ctx, allocator.user);
    else
        free(ctx);
}

COMBGPU__DEF const char *combgpu_message(const combgpu_context *ctx)
{
    return ctx ? ctx->message : "out of memory";
}

COMBGPU__DEF void combgpu_context_device(const combgpu_context *ctx, combgpu_device *device)
{
    if (ctx && device) *device = ctx->device;
}

/* ---- device memory that the caller owns */

COMBGPU__DEF combgpu_status combgpu_device_allocate(combgpu_context *ctx, size_t bytes,
                                                    combgpu_device_memory *memory)
{
    combgpu__memory made;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!memory) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "memory is NULL");
    memset(memory, 0, sizeof *memory);
    if (!ctx->backend)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the context is not open: combgpu_open failed");
    if (!bytes) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "bytes is 0");
    status = ctx->backend->allocate(ctx, bytes, &made);
    if (status) return status;
    memory->backend = ctx->backend->id;
    memory->memory = made.handle;
    memory->bytes = bytes;
    return COMBGPU_OK;
}

COMBGPU__DEF void combgpu_device_release(combgpu_context *ctx, combgpu_device_memory *memory)
{
    combgpu__memory made;
    if (!ctx || !ctx->backend || !memory || !memory->memory) return;
    made.handle = memory->memory;
    made.bytes = memory->bytes;
    ctx->backend->release(ctx, &made);
    memset(memory, 0, sizeof *memory);
}

/* The caller's memory as the backend knows it, after all checks; `name` is the argument's. */
COMBGPU__PRIVATE combgpu_status combgpu__device_adopt(combgpu_context *ctx, const char *name,
                                                      const combgpu_device_memory *from,
                                                      combgpu__memory *to, size_t *shift)
{
    combgpu_backend backend = from->backend;
    if (!ctx->backend)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the context is not open: combgpu_open failed");
    if (backend == COMBGPU_BACKEND_AUTO && ctx->backend->id == COMBGPU_BACKEND_CPU)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is device memory, but the context is on the cpu: open it on that "
                             "device, or set %s.backend to COMBGPU_BACKEND_CPU for host memory",
                             name, name);
    if (backend == COMBGPU_BACKEND_AUTO) backend = ctx->backend->id;
    if (backend != ctx->backend->id)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.backend is %d (%s); it must be the context's, which is %s", name,
                             (int)backend, combgpu_backend_string(backend), ctx->backend->name);
    if (!from->memory)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s.memory is NULL", name);
    if (from->bytes > SIZE_MAX - from->offset)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.offset is %llu and %s.bytes %llu: no memory is so large", name,
                             (unsigned long long)from->offset, name,
                             (unsigned long long)from->bytes);
    return ctx->backend->adopt(ctx, from, to, shift);
}

COMBGPU__DEF combgpu_status combgpu_device_read(combgpu_context *ctx,
                                                const combgpu_device_memory *memory, size_t at,
                                                void *to, size_t bytes)
{
    combgpu__memory from;
    size_t shift;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!memory || !to)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", memory ? "to" : "memory");
    status = combgpu__device_adopt(ctx, "memory", memory, &from, &shift);
    if (status) return status;
    if (at > memory->bytes || bytes > memory->bytes - at)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT, "at is %llu and bytes %llu; the piece has %llu bytes",
            (unsigned long long)at, (unsigned long long)bytes, (unsigned long long)memory->bytes);
    return ctx->backend->download(ctx, to, &from, shift + at, bytes);
}

COMBGPU__DEF combgpu_status combgpu_device_fill(combgpu_context *ctx,
                                                const combgpu_device_memory *memory, int value,
                                                double *seconds)
{
    combgpu__memory piece;
    size_t shift;
    double unused;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!memory) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "memory is NULL");
    status = combgpu__device_adopt(ctx, "memory", memory, &piece, &shift);
    if (status) return status;
    return ctx->backend->fill(ctx, &piece, shift, value & 255, memory->bytes,
                              seconds ? seconds : &unused);
}

/* ---- self-test: what every search kernel relies on (tasks taken and given back, records, 64-bit
   totals, groups of 4, 8 and 32 lanes), in a job that hashes numbers */

#define COMBGPU__PROBE_TASKS 300u
#define COMBGPU__PROBE_BITS 0x11u

COMBGPU__PRIVATE uint32_t combgpu__probe_hash(uint32_t seed, uint32_t lane)
{
    uint32_t x = seed * 0x9e3779b9u + lane * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return x ^ x >> 13;
}

/* What a group of lanes must compute for a task. */
COMBGPU__PRIVATE uint32_t combgpu__probe_value(uint32_t seed, uint32_t lanes)
{
    uint32_t x[32], i, least = UINT32_MAX, sum = 0, bits = 0, value = 0;
    for (i = 0; i < lanes; i++) {
        x[i] = combgpu__probe_hash(seed, i);
        if (x[i] < least) least = x[i];
        sum += x[i];
        if (x[i] & COMBGPU__PROBE_BITS) bits |= 1u << i;
    }
    for (i = 0; i < lanes; i++)
        value +=
            (least * 3 + bits * 5 + sum * 7) ^ (x[x[i] >> 8 & (lanes - 1)] + x[lanes - 1 - i] * 9);
    return value;
}

COMBGPU__PRIVATE void combgpu__probe_solve(combgpu__worker *worker)
{
    uint32_t lanes = (uint32_t)worker->job->kernel.lanes_per_worker;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint32_t record[2];
        record[0] = *task;
        record[1] = combgpu__probe_value(*task, lanes);
        if (!combgpu__emit(worker, record)) {
            combgpu__give(worker, task);
            return;
        }
        worker->totals[0]++;
        worker->totals[1] += (uint64_t)record[1] << 32 | combgpu__probe_hash(*task, 0);
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__probe_frontier(combgpu_job *job)
{
    combgpu_status status = COMBGPU_OK;
    uint32_t task;
    for (task = 0; task < COMBGPU__PROBE_TASKS && !status; task++)
        status = combgpu__push(job, &task);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__probe_record(combgpu_job *job, const uint32_t *record)
{
    if (record[0] >= COMBGPU__PROBE_TASKS ||
        record[1] != combgpu__probe_value(record[0], (uint32_t)job->kernel.lanes_per_worker))
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT, "kernel %s: task %u gave %u",
                             job->kernel.name, record[0], record[1]);
    job->sums[COMBGPU__TOTALS]++;
    return COMBGPU_RUNNING;
}

/* The probe has no checkpoints. */
COMBGPU__PRIVATE int combgpu__probe_adopt_task(combgpu_job *job, uint32_t *task)
{
    (void)job, (void)task;
    return 0;
}

COMBGPU__PRIVATE int combgpu__probe_adopt_record(combgpu_job *job, const uint32_t *record)
{
    (void)job, (void)record;
    return 0;
}

static const combgpu__problem combgpu__probe = {
    "probe", combgpu__probe_frontier,   combgpu__probe_record,       NULL, NULL,
    NULL,    combgpu__probe_adopt_task, combgpu__probe_adopt_record, NULL};
static const combgpu__kernel combgpu__probe_kernels[3] = {
    {"combgpu_probe4", "PROBE", combgpu__probe_solve, 4, 64, 1, 16, NULL, NULL},
    {"combgpu_probe8", "PROBE", combgpu__probe_solve, 8, 64, 1, 16, NULL, NULL},
    {"combgpu_probe32", "PROBE", combgpu__probe_solve, 32, 64, 1, 16, NULL, NULL}};

/* One form of the probe, with a record buffer that runs full several times. */
COMBGPU__PRIVATE combgpu_status combgpu__probe_run(combgpu_context *ctx,
                                                   const combgpu__kernel *kernel)
{
    uint32_t lanes = (uint32_t)kernel->lanes_per_worker, task;
    uint64_t total = 0;
    combgpu_run_desc run;
    combgpu_job *job;
    combgpu_status status;
    memset(&run, 0, sizeof run);
    status = combgpu__job_create(ctx, &combgpu__probe, 1, &run, &job);
    if (status) return status;
    job->kernel = *kernel;
    job->task_words = 1;
    job->record_words = 2;
    job->record_capacity = COMBGPU__PROBE_TASKS / 3;
    job->work_bytes_per_worker = lanes * sizeof(uint32_t);
    status = combgpu__job_tables(job, 1);
    if (!status) {
        job->tables[0] = COMBGPU__PROBE_BITS;
        status = combgpu__job_start(job);
    }
    while (!status || status == COMBGPU_RUNNING) {
        status = combgpu_step(job);
        if (!status) break;
    }
    for (task = 0; task < COMBGPU__PROBE_TASKS; task++)
        total += (uint64_t)combgpu__probe_value(task, lanes) << 32 | combgpu__probe_hash(task, 0);
    if (!status && (job->sums[0] != COMBGPU__PROBE_TASKS || job->sums[1] != total ||
                    job->sums[COMBGPU__TOTALS] != COMBGPU__PROBE_TASKS))
        status = combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                               "kernel %s: %llu steps, %llu records, total %llx; expected %u, %u, "
                               "%llx",
                               kernel->name, (unsigned long long)job->sums[0],
                               (unsigned long long)job->sums[COMBGPU__TOTALS],
                               (unsigned long long)job->sums[1], COMBGPU__PROBE_TASKS,
                               COMBGPU__PROBE_TASKS, (unsigned long long)total);
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__backend_self_test(combgpu_context *ctx)
{
    combgpu_status status = COMBGPU_OK;
    int i;
    for (i = 0; i < 3 && !status; i++)
        status = combgpu__probe_run(ctx, &combgpu__probe_kernels[i]);
    return status;
}

/* ================================================================ SECTION 20: magic squares == */
/* The solvers:

     search   depth first over the cells. The plan, made once by the host, orders the cells so that
              lines are completed early. A *level* is one cell whose number is chosen and the cells
              that follow from it, because each is then the last free one of a line. Also for
              numbers that are not evenly spaced (`numbers`)
     join     order 5, normal, nothing given but perhaps the centre. Both diagonals are fixed, 9
              cells. The other 16 fall into two rings of 8 that share no line but row 2 and column
              2, and those hold by themselves. So the squares over a pair of diagonals number the
              sum, over all sets of 8 of the 16 free numbers, of (ways to fill ring 1 with the set)
              times (ways to fill ring 2 with the rest).
     list     the same join, but the squares are made and hashed or written where they are found, in
              an order of their own, so that a range of the whole list needs a range of diagonals.
     four     order 4, normal, nothing given: both diagonals are fixed, and the other 8 cells fall into
              two rings of 4 with one free number each.
     semi     order 5, semi-magic, only counted, nothing given. Up to the order of rows and of columns
              a square is a partition of 1..25 into 5 rows and another one into 5 columns, all of sum
              65, that meet in one number each. So for each of the 3,245,664 partitions into rows
              the partitions into columns are counted.

   Measured for order 5 (whole calls; H200, and one core of a Sapphire Rapids with -march=native):
     27.0 s   C, the portable form; 12.2 s with AVX-512
     59 ms    CUDA: 256 lanes a configuration, 8 blocks on a multiprocessor. About 5,000 warp
              instructions a configuration, two thirds of the issue slots used: fewer instructions
              are what would make it faster. OpenCL, the same card: 67 ms
     89 ms    CUDA, the checksum of all squares; 111 ms written to device memory, once it is known
              where they are (which takes another 70)
     99 ms    CUDA, semi-magic, with a task for each unit (with 5,919 tasks for 200,000 lanes: 1.1 s)

   Symmetry is used in full. A number stands once in a square; so an image of a completion agrees
   with the givens only if the rotation or reflection leaves every given cell in place. Those that
   do are all 8 (nothing given, or the centre alone), 2 (all given cells on one axis) or 1, the same
   for every completion. Inequalities between cells then keep one square of each class. The join
   counts up to the 32 maps that keep the pair of diagonals (the M-group), and up to complement. */

#define COMBGPU__MAGIC_CELLS 36  /* order 6 */
#define COMBGPU__MAGIC_LINES 58  /* order 5 ultramagic; order 6 has 42 at most */
#define COMBGPU__MAGIC_LEVELS 32 /* the most that a plan may have: see magic_plan */
#define COMBGPU__MAGIC_FRONTIER 4096
#define COMBGPU__MAGIC_RECORDS 16384
#define COMBGPU__MAGIC_MOST_NUMBER 400000000 /* sums of 5 have 32 bits */

/* ---- tasks that are ranges of steps: of all solvers but the search

   A job's state begins with the range of all its steps and the number of tasks that it is cut into. */
typedef struct combgpu__magic_range {
    uint64_t begin, end, pieces;
} combgpu__magic_range;

COMBGPU__PRIVATE combgpu_status combgpu__magic_range_frontier(combgpu_job *job)
{
    const combgpu__magic_range *range = (const combgpu__magic_range *)job->state;
    if (range->begin == range->end) return COMBGPU_OK;
    return combgpu__push_range(job, range->begin, range->end, range->pieces);
}

COMBGPU__PRIVATE int combgpu__magic_range_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__magic_range *range = (const combgpu__magic_range *)job->state;
    uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
    return range->begin <= begin && begin < end && end <= range->end;
}

/* A worker's slice: does the steps of tasks. `step` returns 0 if it has no room for a record; then
   nothing of it may count. */
COMBGPU__PRIVATE void combgpu__magic_range_solve(combgpu__worker *worker, void *memory,
                                                 int (*step)(combgpu__worker *worker, void *memory,
                                                             uint64_t number))
{
    const uint32_t *task;
    uint32_t left[4];
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t number = combgpu__get64(task), end = combgpu__get64(task + 2);
        for (; number < end && !combgpu__spent(worker); number++) {
            if (!step(worker, memory, number)) break;
            worker->totals[0]++;
        }
        if (number == end) continue;
        combgpu__put64(left, number);
        combgpu__put64(left + 2, end);
        combgpu__give(worker, left);
        return;
    }
}

/* The part of the work memory that is this worker's. */
COMBGPU__PRIVATE void *combgpu__magic_work(const combgpu__worker *worker, size_t bytes)
{
    return (char *)worker->work + worker->index * bytes;
}

/* For solvers without records. */
COMBGPU__PRIVATE int combgpu__magic_adopt_no_record(combgpu_job *job, const uint32_t *record)
{
    (void)job, (void)record;
    return 0;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_no_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT, "kernel %s: a record, %u, and it has none",
                         job->kernel.name, record[0]);
}

/* ---- what all jobs have in common */

typedef struct combgpu__magic_solver {
    combgpu__problem problem;
    combgpu__kernel kernel;
    combgpu_status (*begin)(combgpu_job *job); /* tables, range, and what is not as below */
    uint32_t record_words;
} combgpu__magic_solver;

/* Makes a job, of ranges unless its begin changes that, with a copy of the state, and starts it. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_create(combgpu_context *ctx,
                                                      const combgpu__magic_solver *solver,
                                                      const void *state, size_t state_bytes,
                                                      const combgpu_run_desc *run,
                                                      combgpu_job **out)
{
    combgpu_job *job;
    combgpu_status status = combgpu__job_create(ctx, &solver->problem, state_bytes, run, &job);
    if (status) return status;
    memcpy(job->state, state, state_bytes);
    job->kernel = solver->kernel;
    job->task_words = 4;
    job->record_words = solver->record_words;
    job->record_capacity = 1;
    status = solver->begin(job);
    if (!status) status = combgpu__job_start(job);
    return combgpu__job_begun(job, status, out);
}

/* Pointers of a _begin function. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_arguments(combgpu_context *ctx, const void *desc,
                                                         combgpu_job **out)
{
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (desc && out) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
}

/* ---- the state of a job */

/* How a job solves: see above. */
typedef enum combgpu__magic_method {
    COMBGPU__MAGIC_SEARCH,
    COMBGPU__MAGIC_JOIN,
    COMBGPU__MAGIC_FOUR,
    COMBGPU__MAGIC_SEMIS,
    COMBGPU__MAGIC_LIST,   /* the join, but the squares are made, where the solver runs */
    COMBGPU__MAGIC_NUMBERS /* the search, for numbers that are not evenly spaced */
} combgpu__magic_method;

/* What a list does with the squares. */
enum { COMBGPU__MAGIC_HASHES = 0, COMBGPU__MAGIC_WRITES = 1, COMBGPU__MAGIC_COUNTS = 2 };

/* Sums of a job: totals of slices (beyond steps of those that count alone), then what the host
   counts. */
enum {
    COMBGPU__MAGIC_HASH = 1,                  /* of the configurations and their counts */
    COMBGPU__MAGIC_JOINED = 1,                /* + centre, 1 to 13: squares up to the M-group */
    COMBGPU__MAGIC_ORTHOGONAL = 2,            /* pairs of partitions (semi) */
    COMBGPU__MAGIC_CLASSES = COMBGPU__TOTALS, /* squares up to symmetry */
    COMBGPU__MAGIC_CHECKSUM,                  /* of their Frenicle forms */
    COMBGPU__MAGIC_CALLS,                     /* of the solution callback */
    COMBGPU__MAGIC_PART,                      /* of them for the record that is being delivered */
    COMBGPU__MAGIC_M_CLASSES,                 /* squares up to the M-group */
    COMBGPU__MAGIC_BY_CENTRE                  /* + centre: classes */
};

/* Cells that add up to a known sum. */
typedef struct combgpu__magic_line {
    const char *name;
    int number, sum, length;
    unsigned char cells[6];
} combgpu__magic_line;

typedef struct combgpu__magic_lister combgpu__magic_lister;

typedef struct combgpu__magic_state {
    combgpu__magic_range range; /* of steps; not of the search */
    combgpu_magic_desc desc;
    combgpu__magic_method method;
    int order, cells, line_count, given_count;
    /* the numbers by size and the sum of a line. The search works on ranks, 1 .. n*n: so records,
       symmetry, Frenicle form and checksum are the same for all numbers. Evenly spaced ones have
       the squares of 1 .. n*n; for others (NUMBERS) lines add up number[rank - 1] */
    int number[COMBGPU__MAGIC_CELLS], sum;
    combgpu__magic_line lines[COMBGPU__MAGIC_LINES];
    int givens[COMBGPU__MAGIC_CELLS];             /* ranks */
    int hopeless;                                 /* there is no square */
    unsigned char image[8][COMBGPU__MAGIC_CELLS]; /* cell i of image g is cell image[g][i] */
    int image_count, images[8]; /* the rotations and reflections that fix all given cells */
    int less_count;
    unsigned char less[4][2]; /* the number in the first cell is less than that in the second */
    /* the search's plan: positions are cells in the order in which they are filled */
    int levels, start[COMBGPU__MAGIC_LEVELS + 1]; /* a level's first position */
    unsigned char cell[COMBGPU__MAGIC_CELLS], position[COMBGPU__MAGIC_CELLS];
    /* the join */
    int centre;                    /* given; 0 = none */
    combgpu__magic_lister *lister; /* of the join, if there is a callback */
    /* the list */
    int goal;
    uint32_t first, count;             /* WRITES: these squares of the list */
    uint32_t *index;                   /* COUNTS: squares up to the M-group, by pair */
    const uint32_t *offsets;           /* WRITES: first square, by pair */
    unsigned char *out;                /* WRITES on the CPU */
    const combgpu__memory *device_out; /* WRITES elsewhere */
    size_t shift;
} combgpu__magic_state;

/* ---- what a square of a kind is */

/* A line of cells first, first + step, first + 2 step ... */
COMBGPU__PRIVATE combgpu__magic_line *combgpu__magic_add_line(combgpu__magic_state *state,
                                                              const char *name, int number,
                                                              int length, int first, int step)
{
    combgpu__magic_line *line = &state->lines[state->line_count++];
    int64_t sum = (int64_t)state->sum * length;
    int i;
    if (sum % state->order) state->hopeless = 1; /* opposite cells, or the centre */
    line->name = name;
    line->number = number;
    line->sum = (int)(sum / state->order);
    line->length = length;
    for (i = 0; i < length; i++)
        line->cells[i] = (unsigned char)(first + i * step);
    return line;
}

/* Column of the diagonal that begins in row 0 at `first`: 0 down to the right, 1 to the left. */
COMBGPU__PRIVATE int combgpu__magic_diagonal(int order, int direction, int first, int row)
{
    return direction ? (first + order - row) % order : (first + row) % order;
}

/* All lines of the kind, and one more group for pandiagonal order 5: a cell and its four
   neighbours, around the edges, have the magic sum. */
COMBGPU__PRIVATE void combgpu__magic_lines(combgpu__magic_state *state)
{
    combgpu_magic_kind kind = state->desc.kind;
    combgpu__magic_line *line;
    int n = state->order, last = n * n - 1, i, k, direction;
    int all = kind == COMBGPU_MAGIC_PANDIAGONAL || kind == COMBGPU_MAGIC_ULTRAMAGIC;
    for (k = 0; k < n; k++)
        combgpu__magic_add_line(state, "row", k, n, k * n, 1);
    for (k = 0; k < n; k++)
        combgpu__magic_add_line(state, "column", k, n, k, n);
    for (direction = 0; direction < 2; direction++)
        for (k = 0; k < n && kind != COMBGPU_MAGIC_SEMI; k++) {
            if (!all && k != direction * (n - 1)) continue;
            line = combgpu__magic_add_line(
                state, direction ? "diagonal to the left from column" : "diagonal from column", k,
                n, 0, n);
            for (i = 0; i < n; i++)
                line->cells[i] =
                    (unsigned char)(line->cells[i] + combgpu__magic_diagonal(n, direction, k, i));
        }
    for (k = 0; k < 25 && all && n == 5; k++) { /* it follows; without it 12 levels, with it 8 */
        int row = k / 5, column = k % 5;
        line = combgpu__magic_add_line(state, "plus around cell", k, n, k, 0);
        line->cells[1] = (unsigned char)((row + 1) % 5 * 5 + column);
        line->cells[2] = (unsigned char)((row + 4) % 5 * 5 + column);
        line->cells[3] = (unsigned char)(row * 5 + (column + 1) % 5);
        line->cells[4] = (unsigned char)(row * 5 + (column + 4) % 5);
    }
    if (kind != COMBGPU_MAGIC_ASSOCIATIVE && kind != COMBGPU_MAGIC_ULTRAMAGIC) return;
    for (k = 0; 2 * k <= last; k++)
        combgpu__magic_add_line(state, "pair opposite the centre", k, 2 * k == last ? 1 : 2, k,
                                last - 2 * k);
}

/* What the squares of a line's ranks add up to; 0 = anything. */
COMBGPU__PRIVATE uint32_t combgpu__magic_square_sum(const combgpu__magic_state *state)
{
    uint32_t n = (uint32_t)state->order;
    if (state->desc.kind != COMBGPU_MAGIC_BIMAGIC) return 0;
    return n * (n * n + 1) * (2 * n * n + 1) / 6;
}

/* The cell that image g (bits: 1 transpose, 2 flip rows, 4 flip columns) has at a row and column. */
COMBGPU__PRIVATE size_t combgpu__magic_image(size_t n, int g, size_t row, size_t column)
{
    size_t t = row;
    if (g & 1) row = column, column = t;
    if (g & 2) row = n - 1 - row;
    if (g & 4) column = n - 1 - column;
    return row * n + column;
}

/* Finds the images that fix all given cells, and the inequalities that keep one of each class. */
COMBGPU__PRIVATE void combgpu__magic_symmetry(combgpu__magic_state *state)
{
    int n = state->order, g, i, last = n * n - 1;
    for (g = 0; g < 8; g++) {
        int fixes = 1;
        for (i = 0; i < state->cells; i++) {
            state->image[g][i] =
                (unsigned char)combgpu__magic_image((size_t)n, g, (size_t)(i / n), (size_t)(i % n));
            if (state->givens[i] && state->image[g][i] != i) fixes = 0;
        }
        if (fixes) state->images[state->image_count++] = g;
    }
    if (state->image_count == 8) { /* Frenicle's (1693) */
        const int less[4][2] = {{0, n - 1}, {0, last + 1 - n}, {0, last}, {1, n}};
        for (i = 0; i < 8; i++)
            state->less[i / 2][i % 2] = (unsigned char)less[i / 2][i % 2];
        state->less_count = 4;
    } else if (state->image_count == 2) { /* a reflection: any two cells that it swaps */
        const unsigned char *image = state->image[state->images[1]];
        for (i = 0; image[i] == i; i++) {
        }
        state->less[0][0] = (unsigned char)i;
        state->less[0][1] = image[i];
        state->less_count = 1;
    }
}

/* ---- validate */

/* The number that a cell is given, as the caller knows it; 0 = free. */
COMBGPU__PRIVATE int combgpu__magic_given(const combgpu__magic_state *state, int cell)
{
    return state->givens[cell] ? state->number[state->givens[cell] - 1] : 0;
}

/* The given cells of a line as "(row,column)=number ...". */
COMBGPU__PRIVATE void combgpu__magic_cells_text(const combgpu__magic_state *state,
                                                const combgpu__magic_line *line, char *text,
                                                size_t size)
{
    size_t at = 0;
    int i;
    text[0] = 0;
    for (i = 0; i < line->length; i++) {
        int cell = line->cells[i];
        if (state->givens[cell] && at < size)
            at += (size_t)snprintf(text + at, size - at, " (%d,%d)=%d", cell / state->order,
                                   cell % state->order, combgpu__magic_given(state, cell));
    }
}

/* No line of the kind may be full with a wrong sum, or too full. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_lines(combgpu_context *ctx,
                                                           const combgpu__magic_state *state)
{
    int64_t all_squares = 0, wanted, found;
    char cells[160];
    int k, i;
    for (i = 0; i < state->cells && state->desc.kind == COMBGPU_MAGIC_BIMAGIC; i++)
        all_squares += (int64_t)state->number[i] * state->number[i];
    for (k = 0; k < state->line_count; k++) {
        const combgpu__magic_line *line = &state->lines[k];
        int64_t sum = 0, squares = 0;
        int free_cells = 0, wrong_squares;
        char least[48] = "";
        for (i = 0; i < line->length; i++) {
            int64_t number = combgpu__magic_given(state, line->cells[i]);
            sum += number;
            squares += number * number;
            if (!state->givens[line->cells[i]]) sum += state->number[free_cells++];
        }
        wrong_squares = sum == line->sum && all_squares && squares * state->order != all_squares;
        if (free_cells ? sum <= line->sum : sum == line->sum && !wrong_squares) continue;
        combgpu__magic_cells_text(state, line, cells, sizeof cells);
        wanted = wrong_squares ? all_squares / state->order : line->sum;
        found = wrong_squares ? squares : sum;
        if (free_cells)
            snprintf(least, sizeof least, " at least, with %d cell%s free,", free_cells,
                     free_cells > 1 ? "s" : "");
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "givens: %s%s %d add%s up to%s %lld and must to %lld:%s (rows and "
                             "columns from 0)",
                             wrong_squares ? "the squares of " : "", line->name, line->number,
                             wrong_squares ? "" : "s", least, (long long)found, (long long)wanted,
                             cells);
    }
    return COMBGPU_OK;
}

/* The rank of a number, or 0 if it is none of the `count`. */
COMBGPU__PRIVATE int combgpu__magic_rank_of(const int *numbers, int count, int64_t number)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && numbers[low] == number ? low + 1 : 0;
}

/* Sorts the numbers to the state, and sets the sum of a line. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_numbers(combgpu_context *ctx,
                                                             const combgpu_magic_desc *desc,
                                                             combgpu__magic_state *state)
{
    int64_t total = 0;
    int i, k;
    if (desc->sum && !desc->numbers)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "sum is %d, but numbers is NULL; it may be 0", desc->sum);
    for (i = 0; i < state->cells; i++) {
        int number = desc->numbers ? desc->numbers[i] : i + 1;
        if (number < -COMBGPU__MAGIC_MOST_NUMBER || number > COMBGPU__MAGIC_MOST_NUMBER)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "numbers[%d] is %d; it may be %d to %d", i, number,
                                 -COMBGPU__MAGIC_MOST_NUMBER, COMBGPU__MAGIC_MOST_NUMBER);
        for (k = i; k && state->number[k - 1] > number; k--)
            state->number[k] = state->number[k - 1];
        if (k && state->number[k - 1] == number)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "numbers[%d] is %d, and so is one before it; they must differ", i,
                                 number);
        state->number[k] = number;
        total += number;
    }
    if (total % state->order)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "numbers add up to %lld, which is no multiple of order %d: there is "
                             "no line sum",
                             (long long)total, state->order);
    state->sum = (int)(total / state->order);
    if (desc->sum && desc->sum != state->sum)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "sum is %d; the rows hold all the numbers, so it must be %d, or 0",
                             desc->sum, state->sum);
    return COMBGPU_OK;
}

/* Takes the givens to the state, as ranks. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_givens(combgpu_context *ctx,
                                                            const combgpu_magic_desc *desc,
                                                            combgpu__magic_state *state)
{
    int i, k, n = state->order, rank;
    char range[24] = "one of numbers";
    if (!desc->numbers) snprintf(range, sizeof range, "1 to %d", state->cells);
    for (i = 0; i < state->cells && desc->givens; i++) {
        if (!desc->givens[i]) continue;
        rank = combgpu__magic_rank_of(state->number, state->cells, desc->givens[i]);
        if (!rank)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "givens[%d] (row %d, column %d, from 0) is %d; it may be 0 (free) "
                                 "or %s",
                                 i, i / n, i % n, desc->givens[i], range);
        for (k = 0; k < i; k++)
            if (state->givens[k] == rank)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "givens[%d] (row %d, column %d, from 0) and givens[%d] (row "
                                     "%d, column %d) are both %d; a number stands once in a square",
                                     k, k / n, k % n, i, i / n, i % n, desc->givens[i]);
        state->givens[i] = rank;
        state->given_count++;
    }
    return COMBGPU_OK;
}

/* The centre of associative squares of odd order follows. */
COMBGPU__PRIVATE void combgpu__magic_give_centre(combgpu__magic_state *state)
{
    const combgpu__magic_line *last = &state->lines[state->line_count - 1];
    int centre = state->cells / 2, i, rank;
    if (last->length > 1 || state->givens[centre]) return;
    rank = combgpu__magic_rank_of(state->number, state->cells, last->sum);
    for (i = 0; i < state->cells; i++)
        if (state->givens[i] == rank) rank = 0; /* it is elsewhere */
    if (!rank) state->hopeless = 1;
    state->givens[centre] = rank;
    state->given_count += rank != 0;
}

COMBGPU__PRIVATE int combgpu__magic_evenly_spaced(const combgpu__magic_state *state)
{
    int64_t step = (int64_t)state->number[1] - state->number[0];
    int i;
    for (i = 1; i < state->cells; i++)
        if ((int64_t)state->number[i] - state->number[i - 1] != step) return 0;
    return 1;
}

COMBGPU__PRIVATE combgpu__magic_method combgpu__magic_method_of(const combgpu__magic_state *state)
{
    int normal = state->desc.kind == COMBGPU_MAGIC_NORMAL;
    if (!combgpu__magic_evenly_spaced(state)) return COMBGPU__MAGIC_NUMBERS;
    if (state->order == 5 && normal && state->given_count == (state->givens[12] != 0))
        return state->desc.checksum && !state->desc.solution ? COMBGPU__MAGIC_LIST
                                                             : COMBGPU__MAGIC_JOIN;
    if (state->order == 4 && normal && !state->given_count) return COMBGPU__MAGIC_FOUR;
    if (state->order == 5 && state->desc.kind == COMBGPU_MAGIC_SEMI && !state->given_count &&
        !state->desc.solution)
        return COMBGPU__MAGIC_SEMIS;
    return COMBGPU__MAGIC_SEARCH;
}

/* Checks a description and fills a zeroed state with it. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_validate(combgpu_context *ctx,
                                                        const combgpu_magic_desc *desc,
                                                        combgpu__magic_state *state)
{
    combgpu_status status;
    int i;
    if (desc->order < 3 || desc->order > (desc->numbers ? 5 : 6))
        return combgpu__fail(ctx, desc->order < 3 ? COMBGPU_INVALID_ARGUMENT : COMBGPU_UNSUPPORTED,
                             "order is %d; %s may be 3 to %d", desc->order,
                             desc->numbers ? "with numbers it" : "it", desc->numbers ? 5 : 6);
    if ((int)desc->kind < 0 || (int)desc->kind > COMBGPU_MAGIC_BIMAGIC)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "kind is %d; it may be 0 (normal), 1 (semi-magic), 2 (pandiagonal), 3 "
                             "(associative), 4 (ultramagic), 5 (bimagic)",
                             (int)desc->kind);
    state->desc = *desc;
    state->order = desc->order;
    state->cells = desc->order * desc->order;
    /* squares of order 4k+2 that are pandiagonal or associative do not exist (C. Planck 1919) */
    state->hopeless = state->order % 4 == 2 && desc->kind >= COMBGPU_MAGIC_PANDIAGONAL &&
                      desc->kind <= COMBGPU_MAGIC_ULTRAMAGIC;
    status = combgpu__magic_check_numbers(ctx, desc, state);
    if (!status) status = combgpu__magic_check_givens(ctx, desc, state);
    if (status) return status;
    combgpu__magic_lines(state);
    status = combgpu__magic_check_lines(ctx, state);
    if (status) return status;
    combgpu__magic_give_centre(state);
    combgpu__magic_symmetry(state);
    state->method = combgpu__magic_method_of(state);
    if (state->method == COMBGPU__MAGIC_NUMBERS && desc->kind == COMBGPU_MAGIC_BIMAGIC)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "kind is bimagic; with numbers that are not evenly spaced that is not "
                             "supported");
    for (i = 0; i < state->line_count && state->method != COMBGPU__MAGIC_NUMBERS; i++)
        state->lines[i].sum = state->lines[i].length * (state->cells + 1) / 2; /* of ranks */
    return COMBGPU_OK;
}

/* ---- search: plan and tables */

/* Words of `tables`. The entry of a position is a word cell | lines << 8 | relations << 16, then
   each of its lines: the sum, a byte, and 5 positions of its other cells that are filled before, a
   byte each (the position after the last one holds 0 for ever), in two words; and for each relation
   a word (a position | 256 if this number must be greater than that).

   A position that begins a level: its lines have one more free cell after it. Other positions:
   their lines have none; the first line gives the number, the others check it. (Bounds from lines
   with more free cells save 4 % of the steps and no time.)

   NUMBERS: a line has three words, the sum and 8 positions, and its last cell is the position. */
enum {
    COMBGPU__MAGIC_T_CELLS = 0,
    COMBGPU__MAGIC_T_LEVELS = 1,
    COMBGPU__MAGIC_T_SQUARES = 2, /* what the squares of a line's numbers add up to; 0 = anything */
    COMBGPU__MAGIC_T_START = 3,   /* + level: first position; the last level's end too */
    COMBGPU__MAGIC_T_ENTRY = 36,  /* + position: index of its entry */
    COMBGPU__MAGIC_T_FIRST = 72,  /* of the entries */
    COMBGPU__MAGIC_T_WORDS = COMBGPU__MAGIC_T_FIRST + 36 * 25,
    COMBGPU__MAGIC_N_START = 2, /* in place of these, for NUMBERS */
    COMBGPU__MAGIC_N_ENTRY = 28,
    COMBGPU__MAGIC_N_NUMBER = 53, /* by rank - 1 */
    COMBGPU__MAGIC_N_FIRST = 78,
    COMBGPU__MAGIC_N_WORDS = COMBGPU__MAGIC_N_FIRST + 25 * (1 + 3 * 17 + 4)
};
#define COMBGPU__MAGIC_TASK 12 /* words of a task, at most */

COMBGPU__PRIVATE int combgpu__magic_line_has(const combgpu__magic_line *line, int cell)
{
    int i;
    for (i = 0; i < line->length; i++)
        if (line->cells[i] == cell) return 1;
    return 0;
}

/* How many cells of a line have a position from `from` on (255 = none yet), but for `cell`. */
COMBGPU__PRIVATE int combgpu__magic_open(const combgpu__magic_state *state,
                                         const combgpu__magic_line *line, int from, int cell)
{
    int i, count = 0;
    for (i = 0; i < line->length; i++)
        count += line->cells[i] != cell && state->position[line->cells[i]] >= from;
    return count;
}

/* The best cell to choose next: many lines with few free cells. */
COMBGPU__PRIVATE int combgpu__magic_next_cell(const combgpu__magic_state *state)
{
    static const int weight[6] = {0, 16, 8, 4, 2, 1}; /* by cells that stay free */
    int best = -1, most = -1, cell, k;
    for (cell = 0; cell < state->cells; cell++) {
        int score = 0;
        if (state->position[cell] != 255) continue;
        for (k = 0; k < state->line_count; k++)
            if (combgpu__magic_line_has(&state->lines[k], cell))
                score += weight[combgpu__magic_open(state, &state->lines[k], 255, cell)];
        if (score > most) {
            most = score;
            best = cell;
        }
    }
    return best;
}

/* Orders the cells: those given, then levels. The last given cell begins level 0, so that what
   follows from the givens is part of the search. There is room for all levels: the last cells of
   the rows are 6 different ones that no level begins with, and 36 - 6 + 1 < 32. */
COMBGPU__PRIVATE void combgpu__magic_plan(combgpu__magic_state *state)
{
    int count = 0, i, k, cell;
    memset(state->position, 255, sizeof state->position);
    for (i = 0; i < state->cells; i++)
        if (state->givens[i]) {
            state->position[i] = (unsigned char)count;
            state->cell[count++] = (unsigned char)i;
        }
    if (count) state->start[state->levels++] = count - 1;
    while (count < state->cells) {
        for (k = 0, cell = -1; k < state->line_count && cell < 0; k++)
            if (combgpu__magic_open(state, &state->lines[k], 255, -1) == 1)
                for (i = 0; i < state->lines[k].length; i++)
                    if (state->position[state->lines[k].cells[i]] == 255)
                        cell = state->lines[k].cells[i];
        if (cell < 0) {
            state->start[state->levels++] = count;
            cell = combgpu__magic_next_cell(state);
        }
        state->position[cell] = (unsigned char)count;
        state->cell[count++] = (unsigned char)cell;
    }
    state->start[state->levels] = count;
}

/* The words of a line at a position (see above); returns how many. */
COMBGPU__PRIVATE uint32_t combgpu__magic_line_words(const combgpu__magic_state *state,
                                                    const combgpu__magic_line *line, int position,
                                                    uint32_t *words)
{
    uint32_t bytes[12] = {0}, i, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t at = numbers ? 4 : 1, end = numbers ? 12 : 6;
    int k;
    for (i = 0; i < at; i++)
        bytes[i] = (uint32_t)line->sum >> 8 * i & 255;
    for (k = 0; k < line->length; k++)
        if (state->position[line->cells[k]] < position)
            bytes[at++] = state->position[line->cells[k]];
    while (at < end)
        bytes[at++] = (uint32_t)state->cells;
    for (i = 0; i < 2 + numbers; i++)
        words[i] =
            bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16 | bytes[4 * i + 3] << 24;
    return 2 + numbers;
}

/* Writes a position's entry; returns the index after it. */
COMBGPU__PRIVATE uint32_t combgpu__magic_entry(const combgpu__magic_state *state, int position,
                                               int begins_level, uint32_t *tables, uint32_t at)
{
    int cell = state->cell[position], greater, k, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t *head = &tables[at++];
    *head = (uint32_t)cell;
    if (position < state->given_count && !numbers) return at;
    for (k = 0; k < state->line_count; k++)
        if (combgpu__magic_line_has(&state->lines[k], cell) &&
            combgpu__magic_open(state, &state->lines[k], position + 1, -1) ==
                (begins_level && !numbers)) {
            at += combgpu__magic_line_words(state, &state->lines[k], position, &tables[at]);
            *head += 1u << 8;
        }
    for (k = 0; k < state->less_count; k++)
        for (greater = 0; greater < 2; greater++) {
            int other = state->position[state->less[k][!greater]];
            if (state->less[k][greater] != cell || other > position) continue;
            tables[at++] = (uint32_t)(other + 256 * greater);
            *head += 1u << 16;
        }
    return at;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_search_tables(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int numbers = state->method == COMBGPU__MAGIC_NUMBERS, p, level = 0;
    combgpu_status status =
        combgpu__job_tables(job, numbers ? COMBGPU__MAGIC_N_WORDS : COMBGPU__MAGIC_T_WORDS);
    uint32_t at = numbers ? COMBGPU__MAGIC_N_FIRST : COMBGPU__MAGIC_T_FIRST, *start, *entry;
    if (status) return status;
    job->tables[COMBGPU__MAGIC_T_CELLS] = (uint32_t)state->cells;
    job->tables[COMBGPU__MAGIC_T_LEVELS] = (uint32_t)state->levels;
    if (!numbers) job->tables[COMBGPU__MAGIC_T_SQUARES] = combgpu__magic_square_sum(state);
    start = job->tables + (numbers ? COMBGPU__MAGIC_N_START : COMBGPU__MAGIC_T_START);
    entry = job->tables + (numbers ? COMBGPU__MAGIC_N_ENTRY : COMBGPU__MAGIC_T_ENTRY);
    for (p = 0; p <= state->levels; p++)
        start[p] = (uint32_t)state->start[p];
    for (p = 0; p < state->cells; p++) {
        int begins = p == state->start[level];
        level += begins;
        if (numbers) job->tables[COMBGPU__MAGIC_N_NUMBER + p] = (uint32_t)state->number[p];
        entry[p] = at;
        at = combgpu__magic_entry(state, p, begins, job->tables, at);
    }
    return COMBGPU_OK;
}

/* ---- search: the stack, used by the C solver and by the frontier */

/* Numbers (or ranks) as sets have bit v for number v; the mirror of a set has bit cells + 1 - v. */
typedef struct combgpu__magic_stack {
    const uint32_t *tables, *start, *entry;     /* by level, by position: see above */
    const int *numbers;                         /* NUMBERS: by rank - 1. NULL = 1 .. n*n */
    int cells, levels, head;                    /* words before the numbers of a task */
    int values[COMBGPU__MAGIC_CELLS + 4];       /* what adds up, by position; [cells] is 0 */
    unsigned char chosen[COMBGPU__MAGIC_CELLS]; /* numbers or ranks, by position */
    uint64_t unused[COMBGPU__MAGIC_LEVELS], mirror[COMBGPU__MAGIC_LEVELS]; /* before the level */
    uint64_t mask[COMBGPU__MAGIC_LEVELS]; /* still to try in the level's first cell */
} combgpu__magic_stack;

COMBGPU__PRIVATE void combgpu__magic_stack_start(combgpu__magic_stack *stack,
                                                 const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    const uint32_t *tables = job->tables;
    int numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    memset(stack, 0, sizeof *stack);
    stack->tables = tables;
    stack->start = tables + (numbers ? COMBGPU__MAGIC_N_START : COMBGPU__MAGIC_T_START);
    stack->entry = tables + (numbers ? COMBGPU__MAGIC_N_ENTRY : COMBGPU__MAGIC_T_ENTRY);
    stack->numbers = numbers ? state->number : NULL;
    stack->head = numbers ? 2 : 3;
    stack->cells = state->cells;
    stack->levels = state->levels;
}

/* What is left of a line's sum. */
COMBGPU__PRIVATE int combgpu__magic_rest(const combgpu__magic_stack *stack, const uint32_t *line)
{
    const int *values = stack->values;
    return (int)(line[0] & 255) - values[line[0] >> 8 & 255] - values[line[0] >> 16 & 255] -
           values[line[0] >> 24] - values[line[1] & 255] - values[line[1] >> 8 & 255];
}

/* Bits low..high, of 0..62. */
COMBGPU__PRIVATE uint64_t combgpu__magic_bits(int low, int high)
{
    return low > high ? 0 : ((UINT64_C(2) << high) - 1) & ~((UINT64_C(1) << low) - 1);
}

/* The numbers v for which rest - v is another unused number. */
COMBGPU__PRIVATE uint64_t combgpu__magic_partners(uint64_t mirror, int cells, int rest)
{
    int shift = cells + 1 - rest; /* rest - v is bit v + shift of the mirror */
    uint64_t partners;
    if (rest < 3 || rest > 2 * cells - 1) return 0;
    partners = shift >= 0 ? mirror >> shift : mirror << -shift;
    return rest & 1 ? partners : partners & ~(UINT64_C(1) << rest / 2);
}

/* Is the sum of squares right in a line that `number` ends? */
COMBGPU__PRIVATE int combgpu__magic_squares(const combgpu__magic_stack *stack, const uint32_t *line,
                                            int number)
{
    const int *values = stack->values;
    int sum = (int)stack->tables[COMBGPU__MAGIC_T_SQUARES], i;
    if (!sum) return 1;
    for (i = 1; i < 6; i++) {
        int value = values[line[i / 4] >> 8 * (i % 4) & 255];
        sum -= value * value;
    }
    return sum == number * number;
}

/* The numbers to try in a level's first cell: every one that leaves no line at once impossible. */
COMBGPU__PRIVATE uint64_t combgpu__magic_candidates(const combgpu__magic_stack *stack, int level)
{
    const uint32_t *at = stack->tables + stack->entry[stack->start[level]];
    uint32_t head = *at++, k;
    uint64_t mask = stack->unused[level];
    for (k = head >> 8 & 255; k; k--, at += 2)
        mask &= combgpu__magic_partners(stack->mirror[level], stack->cells,
                                        combgpu__magic_rest(stack, at));
    for (k = head >> 16; k; k--, at++) {
        int other = stack->values[*at & 255];
        mask &= *at & 256 ? combgpu__magic_bits(other + 1, 62) : combgpu__magic_bits(1, other - 1);
    }
    return mask;
}

/* The number that follows for a position, or 0 if none does. */
COMBGPU__PRIVATE int combgpu__magic_forced(const combgpu__magic_stack *stack, uint32_t position,
                                           uint64_t unused)
{
    const uint32_t *at = stack->tables + stack->entry[position];
    uint32_t head = *at++, k;
    int number = combgpu__magic_rest(stack, at);
    if (number < 1 || number > stack->cells || !(unused >> number & 1)) return 0;
    for (k = head >> 8 & 255; k; k--, at += 2)
        if (combgpu__magic_rest(stack, at) != number || !combgpu__magic_squares(stack, at, number))
            return 0;
    for (k = head >> 16; k; k--, at++) {
        int other = stack->values[*at & 255];
        if (*at & 256 ? number < other : number > other) return 0;
    }
    return number;
}

/* NUMBERS: what is left of a line's sum. */
COMBGPU__PRIVATE int64_t combgpu__magic_number_rest(const combgpu__magic_stack *stack,
                                                    const uint32_t *line)
{
    int64_t rest = (int32_t)line[0];
    int i;
    for (i = 0; i < 8; i++)
        rest -= stack->values[line[1 + i / 4] >> 8 * (i % 4) & 255];
    return rest;
}

/* NUMBERS: does the value at a position keep its lines and relations? */
COMBGPU__PRIVATE int combgpu__magic_number_fits(const combgpu__magic_stack *stack,
                                                uint32_t position)
{
    const uint32_t *at = stack->tables + stack->entry[position];
    uint32_t head = *at++, k;
    int value = stack->values[position];
    for (k = head >> 8 & 255; k; k--, at += 3)
        if (combgpu__magic_number_rest(stack, at) != value) return 0;
    for (k = head >> 16; k; k--, at++)
        if ((value > stack->values[*at & 255]) != ((*at & 256) != 0)) return 0;
    return 1;
}

/* NUMBERS: the rank that the first line of a position wants, or 0. */
COMBGPU__PRIVATE int combgpu__magic_number_forced(const combgpu__magic_stack *stack,
                                                  uint32_t position, uint64_t unused)
{
    const uint32_t *line = stack->tables + stack->entry[position] + 1;
    int rank = combgpu__magic_rank_of(stack->numbers, stack->cells,
                                      combgpu__magic_number_rest(stack, line));
    return unused >> rank & 1 ? rank : 0;
}

COMBGPU__PRIVATE void combgpu__magic_choose_number(combgpu__magic_stack *stack, uint32_t position,
                                                   int number, uint64_t *unused, uint64_t *mirror)
{
    stack->chosen[position] = (unsigned char)number;
    stack->values[position] = stack->numbers ? stack->numbers[number - 1] : number;
    *unused &= ~(UINT64_C(1) << number);
    *mirror &= ~(UINT64_C(1) << (stack->cells + 1 - number));
}

/* Puts `number` into the level's first cell, and all that follows into the others. 0 = impossible,
   1 = the next level is ready, 2 = the square is full. */
COMBGPU__PRIVATE int combgpu__magic_enter(combgpu__magic_stack *stack, int level, int number)
{
    uint64_t unused = stack->unused[level], mirror = stack->mirror[level];
    uint32_t position = stack->start[level], end = stack->start[level + 1];
    for (;;) {
        combgpu__magic_choose_number(stack, position, number, &unused, &mirror);
        if (stack->numbers && !combgpu__magic_number_fits(stack, position)) return 0;
        if (++position == end) break;
        number = stack->numbers ? combgpu__magic_number_forced(stack, position, unused)
                                : combgpu__magic_forced(stack, position, unused);
        if (!number) return 0;
    }
    if (level + 1 == stack->levels) return 2;
    stack->unused[level + 1] = unused;
    stack->mirror[level + 1] = mirror;
    stack->mask[level + 1] = stack->numbers ? unused : combgpu__magic_candidates(stack, level + 1);
    return 1;
}

/* A task: level, mask as two words (NUMBERS: one), then the numbers of the positions before the
   level, four in a word. */
COMBGPU__PRIVATE void combgpu__magic_store(const combgpu__magic_stack *stack, int level,
                                           uint64_t mask, uint32_t task_words, uint32_t *task)
{
    uint32_t *numbers = task + stack->head, p;
    memset(task, 0, task_words * sizeof *task);
    task[0] = (uint32_t)level;
    combgpu__put64(task + 1, mask); /* the second word is 0 where there is but one */
    for (p = 0; p < stack->start[level]; p++)
        numbers[p / 4] |= (uint32_t)stack->chosen[p] << 8 * (p % 4);
}

/* Loads a task into the stack; returns its level. */
COMBGPU__PRIVATE int combgpu__magic_load(combgpu__magic_stack *stack, const uint32_t *task)
{
    const uint32_t *numbers = task + stack->head;
    int level = (int)task[0];
    uint64_t unused = combgpu__magic_bits(1, stack->cells), mirror = unused;
    uint32_t p;
    for (p = 0; p < stack->start[level]; p++)
        combgpu__magic_choose_number(stack, p, (int)(numbers[p / 4] >> 8 * (p % 4) & 255), &unused,
                                     &mirror);
    stack->unused[level] = unused;
    stack->mirror[level] = mirror;
    stack->mask[level] = stack->head == 3 ? combgpu__get64(task + 1) : task[1];
    return level;
}

/* The number to try next of those that a level has left. In order 6, which only a limit ends, the
   levels begin with different numbers: the least ones in all cells of a row lead nowhere for ages. */
COMBGPU__PRIVATE int combgpu__magic_pick(const combgpu__magic_stack *stack, int level)
{
    uint64_t mask = stack->mask[level], from;
    if (stack->cells < 36) return combgpu__lowest_bit64(mask);
    from = mask & UINT64_MAX << (1 + (11 + 23 * level) % 36);
    return combgpu__lowest_bit64(from ? from : mask);
}

/* ---- search: frontier */

/* Sets a stack to the beginning of the job's search. */
COMBGPU__PRIVATE void combgpu__magic_root(const combgpu_job *job, combgpu__magic_stack *stack)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint32_t task[COMBGPU__MAGIC_TASK] = {0};
    uint64_t mask = combgpu__magic_bits(1, state->cells);
    int p;
    combgpu__magic_stack_start(stack, job);
    if (state->given_count) mask = UINT64_C(1) << state->givens[state->cell[state->start[0]]];
    combgpu__put64(task + 1, mask);
    for (p = 0; p < state->start[0]; p++)
        task[stack->head + p / 4] |= (uint32_t)state->givens[state->cell[p]] << 8 * (p % 4);
    combgpu__magic_load(stack, task);
}

/* Counts the nodes at `depth` below a level, or pushes them as tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_walk(combgpu_job *job, combgpu__magic_stack *stack,
                                                    int level, int depth, int push, uint64_t *count)
{
    uint32_t task[COMBGPU__MAGIC_TASK];
    combgpu_status status = COMBGPU_OK;
    if (level == depth) {
        ++*count;
        if (!push) return COMBGPU_OK;
        combgpu__magic_store(stack, level, stack->mask[level], job->task_words, task);
        return combgpu__push(job, task);
    }
    while (stack->mask[level] && !status) {
        int number = combgpu__magic_pick(stack, level);
        stack->mask[level] &= ~(UINT64_C(1) << number);
        if (combgpu__magic_enter(stack, level, number) == 1 && stack->mask[level + 1])
            status = combgpu__magic_walk(job, stack, level + 1, depth, push, count);
    }
    return status;
}

/* All nodes of the first depth that has enough. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_search_frontier(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    combgpu__magic_stack stack;
    uint64_t count = 1;
    int depth = 0;
    if (state->hopeless) return COMBGPU_OK;
    while (depth < state->levels - 1 && count && count < COMBGPU__MAGIC_FRONTIER) {
        count = 0;
        depth++;
        combgpu__magic_root(job, &stack);
        combgpu__magic_walk(job, &stack, 0, depth, 0, &count);
    }
    combgpu__magic_root(job, &stack);
    return combgpu__magic_walk(job, &stack, 0, depth, 1, &count);
}

/* A task is possible if its numbers lead from the root to its level. */
COMBGPU__PRIVATE int combgpu__magic_search_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint32_t copy[COMBGPU__MAGIC_TASK];
    combgpu__magic_stack stack;
    uint64_t mask;
    int level;
    if (state->hopeless || task[0] >= (uint32_t)state->levels) return 0;
    combgpu__magic_root(job, &stack);
    for (level = 0; level < (int)task[0]; level++) {
        int p = state->start[level];
        uint32_t number = task[stack.head + p / 4] >> 8 * (p % 4) & 255;
        if (number > 62 || !(stack.mask[level] >> number & 1)) return 0;
        if (combgpu__magic_enter(&stack, level, (int)number) != 1) return 0;
    }
    mask = stack.head == 3 ? combgpu__get64(task + 1) : task[1];
    combgpu__magic_store(&stack, level, mask, job->task_words, copy);
    return mask && !(mask & ~stack.mask[level]) &&
           !memcmp(copy, task, job->task_words * sizeof(uint32_t));
}

/* ---- search: C solver */

/* Emits the full square: its numbers cell by cell, four in a word. */
COMBGPU__PRIVATE int combgpu__magic_emit(combgpu__worker *worker, const combgpu__magic_stack *stack)
{
    uint32_t record[COMBGPU__MAGIC_CELLS / 4] = {0};
    int p;
    for (p = 0; p < stack->cells; p++) {
        uint32_t cell = stack->tables[stack->entry[p]] & 255;
        record[cell / 4] |= (uint32_t)stack->chosen[p] << 8 * (cell % 4);
    }
    return combgpu__emit(worker, record);
}

/* One task, to its end or to the slice's. */
COMBGPU__PRIVATE void combgpu__magic_search_task(combgpu__worker *worker,
                                                 combgpu__magic_stack *stack, const uint32_t *task)
{
    uint32_t left[COMBGPU__MAGIC_TASK];
    int bottom = combgpu__magic_load(stack, task), level = bottom, number, found;
    while (level >= bottom) {
        uint64_t mask = stack->mask[level];
        if (!mask) {
            level--;
            continue;
        }
        if (combgpu__spent(worker)) break;
        number = combgpu__magic_pick(stack, level);
        stack->mask[level] = mask & ~(UINT64_C(1) << number);
        found = combgpu__magic_enter(stack, level, number);
        if (found == 2 && !combgpu__magic_emit(worker, stack)) {
            stack->mask[level] = mask; /* not counted: the number is tried again */
            break;
        }
        worker->totals[0]++;
        level += found == 1;
    }
    for (; level >= bottom; level--)
        if (stack->mask[level]) {
            combgpu__magic_store(stack, level, stack->mask[level], worker->slice->task_words, left);
            combgpu__give(worker, left);
        }
}

COMBGPU__PRIVATE void combgpu__magic_search_solve(combgpu__worker *worker)
{
    combgpu__magic_stack stack;
    const uint32_t *task;
    combgpu__magic_stack_start(&stack, worker->job);
    while ((task = combgpu__take(worker)) != NULL)
        combgpu__magic_search_task(worker, &stack, task);
}

/* ---- solutions: counted and handed out class by class */

COMBGPU__PRIVATE void combgpu__magic_swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

/* Brings a square into Frenicle form: the smallest corner top left by swapping columns and rows, then
   the lesser of its neighbours to the right of it. */
COMBGPU__PRIVATE void combgpu__magic_to_frenicle(int order, int *square)
{
    size_t n = (size_t)order, last = n * n - 1, corners[4], best = 0, i, j;
    corners[0] = 0, corners[1] = n - 1, corners[2] = last + 1 - n, corners[3] = last;
    for (i = 1; i < 4; i++)
        if (square[corners[i]] < square[corners[best]]) best = i;
    for (i = 0; i < n && best & 1; i++)
        for (j = 0; j < n / 2; j++)
            combgpu__magic_swap(&square[i * n + j], &square[i * n + n - 1 - j]);
    for (i = 0; i < n / 2 && best & 2; i++)
        for (j = 0; j < n; j++)
            combgpu__magic_swap(&square[i * n + j], &square[(n - 1 - i) * n + j]);
    if (n < 2 || square[1] <= square[n]) return;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            combgpu__magic_swap(&square[i * n + j], &square[j * n + i]);
}

/* Rows and columns in another order, so that the diagonals stay: the M-group but for D4. */
static const unsigned char combgpu__magic_m_order[2][4][5] = {
    {{0, 1, 2, 3}, {1, 0, 3, 2}, {0, 2, 1, 3}, {1, 3, 0, 2}},
    {{0, 1, 2, 3, 4}, {1, 0, 2, 4, 3}, {0, 3, 2, 1, 4}, {1, 4, 2, 0, 3}}};

/* Is the M-group one of symmetries of this job's squares? */
COMBGPU__PRIVATE int combgpu__magic_has_m_group(const combgpu__magic_state *state)
{
    return state->order <= 5 && state->image_count == 8 &&
           state->desc.kind != COMBGPU_MAGIC_PANDIAGONAL &&
           state->desc.kind != COMBGPU_MAGIC_ULTRAMAGIC;
}

/* Image k of a square of order 4 or 5: 0 to 3 the M-group, 4 to 7 the same of its complement. */
COMBGPU__PRIVATE void combgpu__magic_m_image(int n, const int *square, int k, int *image)
{
    const unsigned char *to = combgpu__magic_m_order[n - 4][k % 4];
    int i;
    for (i = 0; i < n * n; i++) {
        int number = square[n * to[i / n] + to[i % n]];
        image[i] = k < 4 ? number : n * n + 1 - number;
    }
}

/* The first of those images that four and join stand for, and the one behind the last: of order 5
   those of the complement too, unless the centre is 13; with a given centre those that have it. */
COMBGPU__PRIVATE int combgpu__magic_m_images(const combgpu__magic_state *state, const int *square,
                                             int *end)
{
    int given = state->order == 5 ? state->centre : 0;
    int only_complement = given && square[12] != given;
    *end = only_complement || (state->order == 5 && !given && square[12] != 13) ? 8 : 4;
    return only_complement ? 4 : 0;
}

/* Is a Frenicle form the least of those that the M-group makes of it? */
COMBGPU__PRIVATE int combgpu__magic_is_m_least(int n, const int *form)
{
    int image[25], k, i;
    for (k = 1; k < 4 && n > 3; k++) {
        combgpu__magic_m_image(n, form, k, image);
        combgpu__magic_to_frenicle(n, image);
        for (i = 0; image[i] == form[i]; i++) { /* they differ: a number stands once */
        }
        if (image[i] < form[i]) return 0;
    }
    return 1;
}

/* Counts a class, given by one of its squares. */
COMBGPU__PRIVATE void combgpu__magic_count(combgpu_job *job, const int *square)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int form[COMBGPU__MAGIC_CELLS], i;
    unsigned char bytes[COMBGPU__MAGIC_CELLS];
    memcpy(form, square, (size_t)state->cells * sizeof *form);
    combgpu__magic_to_frenicle(state->order, form);
    for (i = 0; i < state->cells; i++)
        bytes[i] = (unsigned char)form[i];
    job->sums[COMBGPU__MAGIC_CLASSES]++;
    job->sums[COMBGPU__MAGIC_CHECKSUM] +=
        combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, (size_t)state->cells);
    if (state->order & 1) job->sums[COMBGPU__MAGIC_BY_CENTRE + square[state->cells / 2]]++;
    if ((state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS) &&
        combgpu__magic_has_m_group(state))
        job->sums[COMBGPU__MAGIC_M_CLASSES] +=
            (uint64_t)combgpu__magic_is_m_least(state->order, form);
}

/* Does the device count, so that the host never sees a square? */
COMBGPU__PRIVATE int combgpu__magic_is_joined(const combgpu__magic_state *state)
{
    return state->method == COMBGPU__MAGIC_LIST ||
           (state->method == COMBGPU__MAGIC_JOIN && !state->desc.solution);
}

/* Squares found so far, every orientation. */
COMBGPU__PRIVATE uint64_t combgpu__magic_solutions(const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint64_t classes = job->sums[COMBGPU__MAGIC_CLASSES];
    int c;
    if (state->method == COMBGPU__MAGIC_SEMIS)
        return job->sums[COMBGPU__MAGIC_ORTHOGONAL] * 120 * 120;
    for (c = 1; c <= 13 && combgpu__magic_is_joined(state); c++)
        classes += job->sums[COMBGPU__MAGIC_JOINED + c] * (c == 13 || state->centre ? 4 : 8);
    return classes * (uint64_t)state->image_count;
}

/* Counts a class and hands it out. A record may hold several classes and each class takes several
   calls; `first` is the number of calls for the record before this class. Those below
   sums[COMBGPU__MAGIC_PART] were made before a stop. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_deliver(combgpu_job *job, const int *square,
                                                       uint64_t first)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint64_t *sums = job->sums, call = 0, calls;
    int image[COMBGPU__MAGIC_CELLS], i, stop;
    if (sums[COMBGPU__MAGIC_PART] <= first)
        combgpu__magic_count(job, square);
    else
        call = sums[COMBGPU__MAGIC_PART] - first;
    if (!state->desc.solution) return COMBGPU_RUNNING;
    calls = state->desc.frenicle ? 1 : (uint64_t)state->image_count;
    for (; call < calls; call++) {
        for (i = 0; i < state->cells; i++)
            image[i] = square[state->image[state->images[call]][i]];
        if (state->desc.frenicle) combgpu__magic_to_frenicle(state->order, image);
        for (i = 0; i < state->cells; i++)
            image[i] = state->number[image[i] - 1];
        stop = state->desc.solution(image, state->order, state->desc.solution_user);
        sums[COMBGPU__MAGIC_PART] = first + call + 1;
        if (++sums[COMBGPU__MAGIC_CALLS] == state->desc.limit) return COMBGPU_FOUND;
        if (stop) return COMBGPU_STOPPED;
    }
    return COMBGPU_RUNNING;
}

/* The limit of a job that only counts. */
COMBGPU__PRIVATE int combgpu__magic_limit_reached(const combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    return state->desc.limit && !state->desc.solution &&
           combgpu__magic_solutions(job) >= state->desc.limit;
}

/* Ends the delivery of a record with `calls` calls in all: one that was stopped half way stays
   pending, and its other calls are made when the job goes on. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_delivered(combgpu_job *job, combgpu_status status,
                                                         uint64_t calls)
{
    if (status >= 0 && status != COMBGPU_RUNNING && job->sums[COMBGPU__MAGIC_PART] < calls)
        job->pending_next--;
    else
        job->sums[COMBGPU__MAGIC_PART] = 0;
    return combgpu__magic_limit_reached(job) ? COMBGPU_FOUND : status;
}

/* Hands out the squares that one of order 4 or 5 stands for, which are not rotations or reflections
   of each other. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_deliver_m_group(combgpu_job *job, const int *square,
                                                               uint64_t first, uint64_t calls)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    combgpu_status status = COMBGPU_RUNNING;
    int image[25], end, k = combgpu__magic_m_images(state, square, &end);
    for (; k < end && status == COMBGPU_RUNNING; k++, first += calls) {
        if (job->sums[COMBGPU__MAGIC_PART] >= first + calls) continue;
        combgpu__magic_m_image(state->order, square, k, image);
        status = combgpu__magic_deliver(job, image, first);
    }
    return status;
}

/* A record is possible if it is a square of the kind, with the givens and the inequalities. */
COMBGPU__PRIVATE int combgpu__magic_search_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int square[COMBGPU__MAGIC_CELLS], i, k, numbers = state->method == COMBGPU__MAGIC_NUMBERS;
    uint32_t square_sum = combgpu__magic_square_sum(state);
    uint64_t used = 0;
    for (i = 0; i < state->cells; i++) {
        square[i] = (int)(record[i / 4] >> 8 * (i % 4) & 255);
        if (square[i] < 1 || square[i] > state->cells || used >> square[i] & 1) return 0;
        if (state->givens[i] && square[i] != state->givens[i]) return 0;
        used |= UINT64_C(1) << square[i];
    }
    for (k = 0; k < state->line_count; k++) {
        int64_t sum = 0;
        uint32_t squares = 0;
        for (i = 0; i < state->lines[k].length; i++) {
            int number = square[state->lines[k].cells[i]];
            sum += numbers ? state->number[number - 1] : number;
            squares += (uint32_t)(number * number);
        }
        if (sum != state->lines[k].sum || (square_sum && squares != square_sum)) return 0;
    }
    for (k = 0; k < state->less_count; k++)
        if (square[state->less[k][0]] > square[state->less[k][1]]) return 0;
    return 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_search_record(combgpu_job *job,
                                                             const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int square[COMBGPU__MAGIC_CELLS], i;
    if (!combgpu__magic_search_adopt_record(job, record)) /* a device may err */
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s: a record is no square of the search", job->kernel.name);
    for (i = 0; i < state->cells; i++)
        square[i] = (int)(record[i / 4] >> 8 * (i % 4) & 255);
    return combgpu__magic_delivered(job, combgpu__magic_deliver(job, square, 0),
                                    state->desc.frenicle ? 1 : (uint64_t)state->image_count);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_slice_done(combgpu_job *job,
                                                          const combgpu__share *share)
{
    (void)share;
    return combgpu__magic_limit_reached(job) ? COMBGPU_FOUND : COMBGPU_OK;
}

/* ---- join: diagonal configurations */

/* A pair of diagonals is the centre and two sets of 4 numbers, A and B, centre <= 13 (the others
   are complements), in either order. There are 227,225 pairs, and 36 ways up to the M-group to put
   A on the main diagonal and B on the other: 3 to split A into opposite cells, 6 x 2 for B.

   The ring of 8 cells that belongs to rows 0, 4 and columns 1, 3 (ring 1), seen as a square with
   the diagonal cells around it; ring 2 is the same for columns 0, 4 and rows 1, 3:

       a00  t1  t2  t3  a04      top     t1 + t2 + t3 = 65 - a00 - a04
            a11     a13          bottom  b1 + b2 + b3 = 65 - a40 - a44
            m1   c  m3           left    t1 + m1 + b1 = 65 - a11 - a31
            a31     a33          right   t3 + m3 + b3 = 65 - a13 - a33
       a40  b1  b2  b3  a44

   So a side's sum is 65 - (one of A) - (one of B): 16 sums in all, numbered 4 * A + B. */

#define COMBGPU__MAGIC_WAYS 36u
#define COMBGPU__MAGIC_PAIRS 227225
#define COMBGPU__MAGIC_SUBSETS 12870 /* sets of 8 of 16 */
#define COMBGPU__MAGIC_SIDES                                                                       \
    168 /* ordered triples of 16 numbers with one sum: 6 times the                             \
               middle coefficient of the Gaussian binomial (16, 3) */

/* Words of `tables`: list is nonzero if configurations with squares go to records; a rank entry is
   low | high << 16: the rank of a set of 8 bits is low[set & 255] + high[set >> 8]; a way is 8
   sides, 4 bits each: top, bottom, left, right of ring 1, then of ring 2; a pair is centre | A[i]
   << 5 + 5i, then B[i] << 5i. */
enum {
    COMBGPU__MAGIC_J_LIST = 0,
    COMBGPU__MAGIC_J_PAIRS = 1,
    COMBGPU__MAGIC_J_RANK = 2,
    COMBGPU__MAGIC_J_WAY = COMBGPU__MAGIC_J_RANK + 256,
    COMBGPU__MAGIC_J_PAIR = COMBGPU__MAGIC_J_WAY + 36
};

/* Ways to put the pair's numbers on the diagonals: opposite cells take A[0], A[s + 1] (outer, a00
   and a44) and the other two (inner, a11 and a33), in order; B likewise from 6 pairs (a04 and a40,
   then a13 and a31), the inner ones in both orders. */
COMBGPU__PRIVATE void combgpu__magic_ways(uint32_t *way)
{
    static const unsigned char split[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    static const unsigned char outer[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                              {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    uint32_t w;
    for (w = 0; w < COMBGPU__MAGIC_WAYS; w++) {
        const unsigned char *a = split[w / 12], *b = outer[w / 2 % 6];
        uint32_t a00 = a[0], a44 = a[1], a11 = a[2], a33 = a[3];
        uint32_t b04 = b[0], b40 = b[1], b13 = b[2 + w % 2], b31 = b[3 - w % 2];
        way[w] = (4 * a00 + b04) | (4 * a44 + b40) << 4 | (4 * a11 + b31) << 8 |
                 (4 * a33 + b13) << 12 | (4 * a00 + b40) << 16 | (4 * a44 + b04) << 20 |
                 (4 * a11 + b13) << 24 | (4 * a33 + b31) << 28;
    }
}

COMBGPU__PRIVATE void combgpu__magic_ranks(uint32_t *rank)
{
    uint32_t seen[9] = {0}, set, high = 0;
    for (set = 0; set < 256; set++)
        rank[set] = seen[combgpu__popcount64(set)]++;
    for (set = 0; set < 256; set++) {
        rank[set] |= high << 16;
        high += seen[8 - combgpu__popcount64(set)];
    }
}

/* The sets of `size` numbers from `least` to `most` that add up to `sum`, each with the numbers of
   `with`, in lexicographic order. Returns the end of `out`. */
COMBGPU__PRIVATE uint64_t *combgpu__magic_series(int size, int least, int most, int sum,
                                                 uint64_t with, uint64_t *out)
{
    int v;
    if (size == 1) {
        if (least <= sum && sum <= most) *out++ = with | UINT64_C(1) << sum;
        return out;
    }
    for (v = least; v * size < sum; v++)
        out = combgpu__magic_series(size - 1, v + 1, most, sum - v, with | UINT64_C(1) << v, out);
    return out;
}

/* A set of 4 numbers as 5 bits each. */
COMBGPU__PRIVATE uint32_t combgpu__magic_packed(uint64_t set)
{
    uint32_t packed = 0;
    int shift;
    for (shift = 0; set; shift += 5, set &= set - 1)
        packed |= (uint32_t)combgpu__lowest_bit64(set) << shift;
    return packed;
}

/* Writes the pairs of diagonals with a centre from first to last, two words each; returns how many
   there are. There must be room for one more: no branch depends on the data, which would take five
   times as long. */
COMBGPU__PRIVATE uint32_t combgpu__magic_pairs(int first, int last, uint32_t *words)
{
    uint64_t sets[400], *end, *set; /* there are at most 362 */
    uint32_t packed[400], count = 0;
    int centre, i, j, n;
    for (centre = first; centre <= last; centre++) {
        end = combgpu__magic_series(4, 1, 25, 65 - centre, 0, sets);
        for (n = 0, set = sets; set < end; set++)
            if (!(*set >> centre & 1)) sets[n++] = *set;
        for (i = 0; i < n; i++)
            packed[i] = combgpu__magic_packed(sets[i]);
        for (i = 0; i < n; i++)
            for (j = i + 1; j < n; j++) {
                words[2 * count] = (uint32_t)centre | packed[i] << 5;
                words[2 * count + 1] = packed[j];
                count += !(sets[i] & sets[j]);
            }
    }
    return count;
}

/* Tasks for a number of pairs: 4 in a task. */
COMBGPU__PRIVATE uint64_t combgpu__magic_pieces(uint64_t pairs)
{
    return (pairs + 3) / 4;
}

/* The tables of the join, with room for `more` words behind the pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_join_tables(combgpu_job *job, size_t more)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    int centre = state->centre > 13 ? 26 - state->centre : state->centre;
    size_t words = COMBGPU__MAGIC_J_PAIR + 2 * (COMBGPU__MAGIC_PAIRS + 1);
    combgpu_status status = combgpu__job_tables(job, words + more);
    uint32_t *pair, pairs;
    if (status) return status;
    pair = job->tables + COMBGPU__MAGIC_J_PAIR;
    pairs = combgpu__magic_pairs(centre ? centre : 1, centre ? centre : 13, pair);
    pair[2 * pairs] = pair[2 * pairs + 1] = 0; /* one more has been written */
    job->tables[COMBGPU__MAGIC_J_LIST] = state->desc.solution != NULL;
    job->tables[COMBGPU__MAGIC_J_PAIRS] = pairs;
    job->tables_bytes = (COMBGPU__MAGIC_J_PAIR + 2 * (size_t)pairs) * sizeof(uint32_t);
    combgpu__magic_ranks(job->tables + COMBGPU__MAGIC_J_RANK);
    combgpu__magic_ways(job->tables + COMBGPU__MAGIC_J_WAY);
    return COMBGPU_OK;
}

/* ---- join: a step is a configuration, pair * 36 + way */

/* A record is a configuration and the number of its squares. */
COMBGPU__PRIVATE int combgpu__magic_join_adopt_record(combgpu_job *job, const uint32_t *record)
{
    return job->tables[COMBGPU__MAGIC_J_LIST] && record[1] &&
           record[0] < job->tables[COMBGPU__MAGIC_J_PAIRS] * COMBGPU__MAGIC_WAYS;
}

/* ---- join: C solver */

/* Numbers as sets: `used` and `unused` have bit v for number v, a mirror has bit 52 - v, so that
   mirror >> (52 - r) has bit v if r - v is in the mirrored set. A key has one of 16 bits for each
   free number. */
typedef struct combgpu__magic_side { /* an ordered triple with the side's sum */
    uint64_t mirror;
    uint32_t used;
    uint16_t key;
    unsigned char first, last; /* its ends, corners of the ring */
} combgpu__magic_side;

typedef struct combgpu__magic_sides {
    int sum, count;
    unsigned char begin[27]; /* the triples that begin with v are begin[v] .. begin[v + 1] - 1 */
    combgpu__magic_side side[COMBGPU__MAGIC_SIDES];
} combgpu__magic_sides;

/* A ring filled but for the corner b3 and the middles beside it. */
typedef struct combgpu__magic_item {
    uint32_t corners; /* the numbers that b3 may be */
    uint16_t key;
    signed char bottom, right; /* what is left of these sides' sums */
} combgpu__magic_item;
#define COMBGPU__MAGIC_ITEMS 256

typedef struct combgpu__magic_join {
    uint32_t pair; /* whose tables these are; UINT32_MAX = none */
    uint32_t unused;
    uint64_t mirror;
    uint16_t bit[32]; /* a free number's bit in keys */
    uint16_t low[256], high[256];
    combgpu__magic_sides sides[16];
    combgpu__magic_item items[COMBGPU__MAGIC_ITEMS];
    /* ring 1: ways to fill it with a set, by the set's rank. At most 192: with a triple at the top
       (6 sets of 8 numbers have one sum at most, in 6 orders) the left side leaves 4 choices of m1
       and b1, or 8 if t3 - t1 is the difference of the sums of right and left, which 2 orders of a
       triple have at most; then all else is forced: 6 * (2 * 8 + 4 * 4). */
    unsigned char ways[COMBGPU__MAGIC_SUBSETS];
} combgpu__magic_join;

COMBGPU__PRIVATE uint32_t combgpu__magic_mirrored(uint64_t mirror, int rest)
{
    return (uint32_t)(mirror >> ((52 - rest) & 63)); /* rests are -9 to 61; beyond 52: 0 */
}

/* All numbers but half of `rest` (or, for odd or negative rests, some that are no numbers). */
COMBGPU__PRIVATE uint32_t combgpu__magic_not_half(int rest)
{
    return ~((~(uint32_t)rest & 1) << ((uint32_t)rest >> 1 & 31));
}

/* Lists the ordered triples of free numbers with a sum. */
COMBGPU__PRIVATE void combgpu__magic_make_sides(const combgpu__magic_join *join, int sum,
                                                combgpu__magic_sides *sides)
{
    int first, last, middle;
    sides->sum = sum;
    sides->count = 0;
    for (first = 1; first <= 26; first++) {
        int rest = sum - first;
        uint32_t ends;
        sides->begin[first] = (unsigned char)sides->count;
        if (first > 25 || !(join->unused >> first & 1)) continue;
        ends = join->unused & combgpu__magic_mirrored(join->mirror, rest) &
               combgpu__magic_not_half(rest) & ~(1u << first);
        for (; ends; ends &= ends - 1) {
            combgpu__magic_side *side = &sides->side[sides->count];
            last = combgpu__lowest_bit64(ends);
            middle = rest - last;
            if (middle == first) continue;
            side->used = 1u << first | 1u << middle | 1u << last;
            side->mirror = UINT64_C(1) << (52 - first) | UINT64_C(1) << (52 - middle) |
                           UINT64_C(1) << (52 - last);
            side->key = (uint16_t)(join->bit[first] | join->bit[middle] | join->bit[last]);
            side->first = (unsigned char)first;
            side->last = (unsigned char)last;
            sides->count++;
        }
    }
}

/* Number A[i] (i < 4) or B[i - 4] of a pair. */
COMBGPU__PRIVATE int combgpu__magic_diagonal_number(const uint32_t *pair, int i)
{
    return (int)((i < 4 ? pair[0] >> (5 + 5 * i) : pair[1] >> (5 * (i - 4))) & 31);
}

/* The 16 numbers that a pair of diagonals leaves, as a set; bit[v] gets a bit for each, else 0. */
COMBGPU__PRIVATE uint32_t combgpu__magic_unused(const uint32_t *pair, uint16_t *bit)
{
    uint32_t unused = 0x3fffffe & ~(1u << (pair[0] & 31)), next = 1;
    int i;
    for (i = 0; i < 8; i++)
        unused &= ~(1u << combgpu__magic_diagonal_number(pair, i));
    for (i = 0; i < 32; i++) {
        bit[i] = (uint16_t)(unused >> i & 1 ? next : 0);
        next <<= unused >> i & 1;
    }
    return unused;
}

/* The sum of side 4 * A + B. */
COMBGPU__PRIVATE int combgpu__magic_side_sum(const uint32_t *pair, int side)
{
    return 65 - combgpu__magic_diagonal_number(pair, side / 4) -
           combgpu__magic_diagonal_number(pair, 4 + side % 4);
}

/* Makes the tables of a pair of diagonals, unless they are there. */
COMBGPU__PRIVATE void combgpu__magic_join_pair(combgpu__magic_join *join, const uint32_t *tables,
                                               uint32_t number)
{
    const uint32_t *pair = tables + COMBGPU__MAGIC_J_PAIR + 2 * number;
    int i;
    if (join->pair == number) return;
    join->pair = number;
    join->unused = combgpu__magic_unused(pair, join->bit);
    join->mirror = 0;
    for (i = 1; i <= 25; i++)
        join->mirror |= (uint64_t)(join->unused >> i & 1) << (52 - i);
    for (i = 0; i < 16; i++)
        combgpu__magic_make_sides(join, combgpu__magic_side_sum(pair, i), &join->sides[i]);
}

COMBGPU__PRIVATE void combgpu__magic_join_start(combgpu__magic_join *join, const uint32_t *tables)
{
    int i;
    join->pair = UINT32_MAX;
    for (i = 0; i < 256; i++) {
        join->low[i] = (uint16_t)(tables[COMBGPU__MAGIC_J_RANK + i] & 0xffff);
        join->high[i] = (uint16_t)(tables[COMBGPU__MAGIC_J_RANK + i] >> 16);
    }
}

/* Fills the last corner of `count` items in every way. Ring 1 counts the sets; ring 2 adds up, for
   each of its sets, the ways to fill ring 1 with the others. Every pass takes one number of each
   item and keeps the items that have more: no branch depends on the data (measured: half of the
   time of nested loops was mispredicted branches). */
COMBGPU__PRIVATE uint32_t combgpu__magic_corners(combgpu__magic_join *join, int count, int ring)
{
    combgpu__magic_item *items = join->items;
    uint32_t sum = 0;
    int i, kept;
    for (; count; count = kept)
        for (i = kept = 0; i < count; i++) {
            combgpu__magic_item item = items[i];
            int b3 = combgpu__lowest_bit64(item.corners);
            uint32_t key = (uint32_t)item.key | join->bit[b3] | join->bit[item.bottom - b3] |
                           join->bit[item.right - b3];
            if (ring == 1)
                join->ways[join->high[key >> 8] + join->low[key & 255]]++;
            else
                sum += join->ways[join->high[~key >> 8 & 255] + join->low[~key & 255]];
            item.corners &= item.corners - 1;
            items[kept] = item;
            kept += item.corners != 0;
        }
    return sum;
}

/* All fillings of a ring, by its sides. */
COMBGPU__PRIVATE uint32_t combgpu__magic_ring(combgpu__magic_join *join,
                                              const combgpu__magic_sides *top,
                                              const combgpu__magic_sides *bottom,
                                              const combgpu__magic_sides *left,
                                              const combgpu__magic_sides *right, int ring)
{
    combgpu__magic_item *items = join->items;
    uint32_t sum = 0;
    int i, count = 0;
    for (i = 0; i < left->count; i++) {
        const combgpu__magic_side *l = &left->side[i];
        const combgpu__magic_side *t = top->side + top->begin[l->first];
        const combgpu__magic_side *t_end = top->side + top->begin[l->first + 1];
        uint64_t mirror = join->mirror & ~l->mirror;
        int below = bottom->sum - l->last; /* b2 + b3 */
        uint32_t corners = join->unused & ~l->used & combgpu__magic_mirrored(mirror, below) &
                           combgpu__magic_not_half(below);
        uint32_t elsewhere = l->used & ~(1u << l->first);
        if (!corners) continue;
        for (; t < t_end; t++) {
            int beside = right->sum - t->last; /* m3 + b3 */
            uint64_t both = mirror & ~t->mirror;
            uint32_t may = corners & ~t->used & combgpu__magic_mirrored(both, below) &
                           combgpu__magic_mirrored(both, beside) & combgpu__magic_not_half(beside);
            may = (t->used & elsewhere) != 0 || below == beside ? 0 : may;
            items[count].corners = may;
            items[count].key = (uint16_t)(l->key | t->key);
            items[count].bottom = (signed char)below;
            items[count].right = (signed char)beside;
            count += may != 0;
        }
        if (count > COMBGPU__MAGIC_ITEMS - 16) { /* a number begins at most 14 triples */
            sum += combgpu__magic_corners(join, count, ring);
            count = 0;
        }
    }
    return sum + combgpu__magic_corners(join, count, ring);
}

/* The same after a turn or reflection of the ring that makes left and top short lists. */
COMBGPU__PRIVATE uint32_t combgpu__magic_turned(combgpu__magic_join *join, uint32_t way, int ring)
{
    const combgpu__magic_sides *top = &join->sides[way & 15];
    const combgpu__magic_sides *bottom = &join->sides[way >> 4 & 15];
    const combgpu__magic_sides *left = &join->sides[way >> 8 & 15];
    const combgpu__magic_sides *right = &join->sides[way >> 12 & 15], *t;
    if (top->count > bottom->count) t = top, top = bottom, bottom = t;
    if (left->count > right->count) t = left, left = right, right = t;
    return left->count <= top->count ? combgpu__magic_ring(join, top, bottom, left, right, ring)
                                     : combgpu__magic_ring(join, left, right, top, bottom, ring);
}

/* The number of squares of a configuration, up to the M-group. */
COMBGPU__PRIVATE uint32_t combgpu__magic_configuration(combgpu__magic_join *join,
                                                       const uint32_t *tables, uint32_t number)
{
    uint32_t way = tables[COMBGPU__MAGIC_J_WAY + number % COMBGPU__MAGIC_WAYS];
    combgpu__magic_join_pair(join, tables, number / COMBGPU__MAGIC_WAYS);
    memset(join->ways, 0, sizeof join->ways);
    combgpu__magic_turned(join, way & 0xffff, 1);
    return combgpu__magic_turned(join, way >> 16, 2);
}

/* ---- join: C solver with AVX-512, the same counts

   A ring is two halves, each a path over two sides: an end x, a middle, the corner c between the
   sides, a middle, an end z. Both halves have the same two ends, so they are joined end by end: all
   pairs of paths with these ends that have no number in common. A half belongs to two sides, and a
   pair of diagonals has only 48 of them that are needed, for the 72 rings of its 36 ways: those with
   numbers A[0] and A[2], A[0] and A[3], A[1] and A[2], A[1] and A[3] beside their sides.

   Numbers are their places among the 16 free ones, sets 16 bits. Measured on one core (Sapphire
   Rapids): 3 times as fast as the form above. */
#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__)
#define COMBGPU__MAGIC_WIDE 1
#define COMBGPU__MAGIC_PATHS 16   /* with the same ends; there are at most 11 */
#define COMBGPU__MAGIC_KEYS 20192 /* fillings of a ring, and a vector more */

/* Paths by their ends (16 * x + z): the sets of their other three numbers, filled up with sets of
   all. How many there are, also by 16 * z + x; bits say which ends have any, and more than 4. */
typedef struct combgpu__magic_half {
    uint16_t paths[256][COMBGPU__MAGIC_PATHS];
    unsigned char count[2][256];
    uint64_t some[2][4], many[2][4];
} combgpu__magic_half;

typedef struct combgpu__magic_wide {
    uint32_t pair;
    uint16_t side[16][16][16];    /* by end and corner: the set of corner and middle; all = none */
    combgpu__magic_half half[64]; /* 16 * (2 * (first of A) + (second of A) - 2) + 4 * b + b' */
    uint16_t keys[COMBGPU__MAGIC_KEYS];
    unsigned char ways[1 << 15]; /* a set of 8 is known by 15 bits */
} combgpu__magic_wide;

COMBGPU__PRIVATE __m256i combgpu__magic_wide_bits(void)
{
    return _mm256_sllv_epi16(_mm256_set1_epi16(1), _mm256_set_epi16(15, 14, 13, 12, 11, 10, 9, 8, 7,
                                                                    6, 5, 4, 3, 2, 1, 0));
}

/* The ordered triples of a side, from the 16 free numbers and the bit of each of 32 numbers. */
COMBGPU__PRIVATE void combgpu__magic_wide_side(uint16_t (*side)[16], int sum,
                                               const uint16_t *number, const uint16_t *bit_of)
{
    const __m256i corner = _mm256_loadu_si256((const __m256i *)number);
    const __m256i corner_bit = combgpu__magic_wide_bits();
    const __m256i low = _mm256_loadu_si256((const __m256i *)bit_of);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(bit_of + 16));
    int x;
    for (x = 0; x < 16; x++) {
        __m256i end_bit = _mm256_set1_epi16((short)(1 << x));
        __m256i middle = _mm256_sub_epi16(_mm256_set1_epi16((short)(sum - number[x])), corner);
        __m256i bit = _mm256_permutex2var_epi16(low, middle, high); /* of the 5 low bits */
        __mmask16 good = _mm256_cmplt_epu16_mask(middle, _mm256_set1_epi16(32));
        good = _mm256_mask_test_epi16_mask(good, bit, bit);
        good = _mm256_mask_testn_epi16_mask(good, bit, _mm256_or_si256(end_bit, corner_bit));
        good = _mm256_mask_testn_epi16_mask(good, end_bit, corner_bit);
        _mm256_storeu_si256(
            (__m256i *)side[x],
            _mm256_mask_mov_epi16(_mm256_set1_epi16(-1), good, _mm256_or_si256(bit, corner_bit)));
    }
}

/* All paths over two sides. */
COMBGPU__PRIVATE void combgpu__magic_wide_half(combgpu__magic_half *half, uint16_t (*first)[16],
                                               uint16_t (*second)[16])
{
    const __m256i corner = combgpu__magic_wide_bits();
    const __m256i none = _mm256_set1_epi16(-1);
    int x, z, i, k;
    for (x = 0; x < 16; x++) {
        __m256i a = _mm256_loadu_si256((const __m256i *)first[x]);
        for (z = 0; z < 16; z++) {
            __m256i b = _mm256_loadu_si256((const __m256i *)second[z]), path;
            __mmask16 good = _mm256_cmpeq_epi16_mask(_mm256_and_si256(a, b), corner);
            int count;
            path = _mm256_or_si256(a, b);
            good = _mm256_mask_testn_epi16_mask(good, path,
                                                _mm256_set1_epi16((short)(1 << x | 1 << z)));
            count = combgpu__popcount64(good);
            _mm256_storeu_si256((__m256i *)half->paths[16 * x + z],
                                _mm256_mask_compress_epi16(none, good, path));
            half->count[0][16 * x + z] = half->count[1][16 * z + x] = (unsigned char)count;
        }
        _mm256_storeu_si256((__m256i *)half->paths[17 * x], none); /* the ends differ */
        half->count[0][17 * x] = half->count[1][17 * x] = 0;
    }
    for (i = 0; i < 2; i++)
        for (k = 0; k < 4; k++) {
            __m512i counts = _mm512_loadu_si512((const void *)(half->count[i] + 64 * k));
            half->some[i][k] = _mm512_test_epi8_mask(counts, counts);
            half->many[i][k] = _mm512_cmpgt_epu8_mask(counts, _mm512_set1_epi8(4));
        }
}

/* Makes the halves of a pair of diagonals, unless they are there. */
COMBGPU__PRIVATE void combgpu__magic_wide_pair(combgpu__magic_wide *wide, const uint32_t *tables,
                                               uint32_t number)
{
    const uint32_t *pair = tables + COMBGPU__MAGIC_J_PAIR + 2 * (size_t)number;
    uint16_t numbers[16], bit_of[32];
    int i, k = 0, b, c;
    if (wide->pair == number) return;
    wide->pair = number;
    combgpu__magic_unused(pair, bit_of);
    for (i = 1; i <= 25; i++)
        if (bit_of[i]) numbers[k++] = (uint16_t)i;
    for (i = 0; i < 16; i++)
        combgpu__magic_wide_side(wide->side[i], combgpu__magic_side_sum(pair, i), numbers, bit_of);
    for (i = 0; i < 4; i++)
        for (b = 0; b < 4; b++)
            for (c = 0; c < 4; c++)
                if (b != c)
                    combgpu__magic_wide_half(&wide->half[16 * i + 4 * b + c],
                                             wide->side[4 * (i / 2) + b],
                                             wide->side[4 * (2 + i % 2) + c]);
}

/* Joins `four` paths each of two buckets; writes the sets of 8, each changed by `flip`, to keys.
   Returns how many; up to 16 are overwritten. */
COMBGPU__PRIVATE int combgpu__magic_wide_quads(const uint16_t *a, const uint16_t *b, __m256i ends,
                                               __m256i flip, uint16_t *keys)
{
    const __m256i four_times = _mm256_set_epi8(7, 6, 7, 6, 7, 6, 7, 6, 5, 4, 5, 4, 5, 4, 5, 4, 3, 2,
                                               3, 2, 3, 2, 3, 2, 1, 0, 1, 0, 1, 0, 1, 0);
    uint64_t a4, b4;
    __m256i x, y;
    __mmask16 good;
    memcpy(&a4, a, 8);
    memcpy(&b4, b, 8);
    x = _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)a4), four_times);
    y = _mm256_set1_epi64x((long long)b4);
    good = _mm256_testn_epi16_mask(x, y);
    x = _mm256_xor_si256(_mm256_or_si256(_mm256_or_si256(x, y), ends), flip);
    _mm256_storeu_si256((__m256i *)keys, _mm256_maskz_compress_epi16(good, x));
    return combgpu__popcount64(good);
}

COMBGPU__PRIVATE __m256i combgpu__magic_wide_ends(uint32_t at)
{
    return _mm256_set1_epi16((short)(1u << (at >> 4) | 1u << (at & 15)));
}

/* Writes the sets of all fillings of a ring to wide->keys, 15 bits each; returns how many. */
COMBGPU__PRIVATE int combgpu__magic_wide_ring(combgpu__magic_wide *wide, uint32_t way, int ring)
{
    /* sides 4 * A + B; the top has A[0], the bottom the A that the ring's split says */
    uint32_t bottom = way >> 4 & 15, left = way >> 8 & 15, right = way >> 12 & 15, top = way & 15;
    uint32_t side[4], i;
    const combgpu__magic_half *one, *two;
    const __m256i flip = _mm256_set1_epi16(ring == 2 ? -1 : 0);
    const __m256i low15 = _mm256_set1_epi16(0x7fff);
    int turned = bottom < 8, count = 0, word, quad; /* A[0], A[1] opposite: the ends are turned */
    side[top / 4] = top % 4;
    side[bottom / 4] = bottom % 4;
    side[left / 4] = left % 4;
    side[right / 4] = right % 4;
    i = bottom / 4 == 2; /* A[0] goes with A[3], else with A[2] */
    one = &wide->half[16 * i + 4 * side[0] + side[2 + i]];
    two = &wide->half[16 * (3 - i) + 4 * side[1] + side[3 - i]];
    for (word = 0; word < 4; word++) {
        uint64_t both = one->some[0][word] & two->some[turned][word];
        uint64_t many = both & (one->many[0][word] | two->many[turned][word]);
        both &= ~many;
        for (; both; both &= both - 1) {
            uint32_t at = (uint32_t)(64 * word + combgpu__lowest_bit64(both));
            count += combgpu__magic_wide_quads(
                one->paths[at], two->paths[turned ? (at << 4 | at >> 4) & 255 : at],
                combgpu__magic_wide_ends(at), flip, wide->keys + count);
        }
        for (; many; many &= many - 1) {
            uint32_t at = (uint32_t)(64 * word + combgpu__lowest_bit64(many));
            int n1 = one->count[0][at], n2 = two->count[turned][at], k;
            for (k = 0; k < n1; k += 4)
                for (quad = 0; quad < n2; quad += 4)
                    count += combgpu__magic_wide_quads(
                        one->paths[at] + k,
                        two->paths[turned ? (at << 4 | at >> 4) & 255 : at] + quad,
                        combgpu__magic_wide_ends(at), flip, wide->keys + count);
        }
    }
    for (word = 0; word < count; word += 16) {
        __m256i *keys = (__m256i *)(void *)(wide->keys + word);
        _mm256_storeu_si256(keys, _mm256_and_si256(_mm256_loadu_si256(keys), low15));
    }
    return count;
}

/* The number of squares of a configuration. `ways` is all 0 before and after. */
COMBGPU__PRIVATE uint32_t combgpu__magic_wide_configuration(combgpu__magic_wide *wide,
                                                            const uint32_t *tables, uint32_t number)
{
    uint32_t way = tables[COMBGPU__MAGIC_J_WAY + number % COMBGPU__MAGIC_WAYS], sum = 0;
    uint16_t first[COMBGPU__MAGIC_KEYS];
    int count1, count2, i;
    combgpu__magic_wide_pair(wide, tables, number / COMBGPU__MAGIC_WAYS);
    count1 = combgpu__magic_wide_ring(wide, way & 0xffff, 1);
    for (i = 0; i < count1; i++) {
        first[i] = wide->keys[i];
        wide->ways[wide->keys[i]]++;
    }
    count2 = combgpu__magic_wide_ring(wide, way >> 16, 2);
    for (i = 0; i < count2; i++)
        sum += wide->ways[wide->keys[i]];
    for (i = 0; i < count1; i++)
        wide->ways[first[i]] = 0;
    return sum;
}

COMBGPU__PRIVATE void combgpu__magic_wide_start(combgpu__magic_wide *wide)
{
    wide->pair = UINT32_MAX;
    memset(wide->ways, 0, sizeof wide->ways);
}
#endif

/* Which of the two forms this build has. */
#ifdef COMBGPU__MAGIC_WIDE
#define COMBGPU__MAGIC_JOIN_TYPE combgpu__magic_wide
#define COMBGPU__MAGIC_JOIN_START(join, tables) combgpu__magic_wide_start(join)
#define COMBGPU__MAGIC_CONFIGURATION combgpu__magic_wide_configuration
#else
#define COMBGPU__MAGIC_JOIN_TYPE combgpu__magic_join
#define COMBGPU__MAGIC_JOIN_START(join, tables) combgpu__magic_join_start(join, tables)
#define COMBGPU__MAGIC_CONFIGURATION combgpu__magic_configuration
#endif

COMBGPU__PRIVATE int combgpu__magic_join_step(combgpu__worker *worker, void *memory,
                                              uint64_t number)
{
    const uint32_t *tables = worker->tables;
    uint32_t centre = tables[COMBGPU__MAGIC_J_PAIR + 2 * (number / COMBGPU__MAGIC_WAYS)] & 31;
    uint32_t found[2];
    found[0] = (uint32_t)number;
    found[1] = COMBGPU__MAGIC_CONFIGURATION((COMBGPU__MAGIC_JOIN_TYPE *)memory, tables, found[0]);
    if (found[1] && tables[COMBGPU__MAGIC_J_LIST] && !combgpu__emit(worker, found)) return 0;
    worker->totals[COMBGPU__MAGIC_HASH] += combgpu__mix(number << 32 | found[1]);
    worker->totals[COMBGPU__MAGIC_JOINED + centre] += found[1];
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_join_solve(combgpu__worker *worker)
{
    COMBGPU__MAGIC_JOIN_TYPE *join =
        (COMBGPU__MAGIC_JOIN_TYPE *)combgpu__magic_work(worker, sizeof(COMBGPU__MAGIC_JOIN_TYPE));
    COMBGPU__MAGIC_JOIN_START(join, worker->tables);
    combgpu__magic_range_solve(worker, join, combgpu__magic_join_step);
}

/* ---- join: listing. The device says which configurations have squares; the host makes them */

/* A ring filled: t1 t2 t3, m1 m3, b1 b2 b3 (see above). */
typedef struct combgpu__magic_filling {
    uint16_t key, next; /* next one with the same key; UINT16_MAX = none */
    unsigned char number[8];
} combgpu__magic_filling;
#define COMBGPU__MAGIC_FILLINGS (COMBGPU__MAGIC_SIDES * 12 * 10) /* left, t3, b3 */
#define COMBGPU__MAGIC_MATCHES 1280 /* squares of a configuration; there are at most 1,256 */

/* A square: fillings of ring 1 and 2. The code puts those of a configuration in order: 4 bits for
   each of t1 t3 b1 b3 of ring 1, then of ring 2. */
typedef struct combgpu__magic_match {
    uint32_t code;
    uint16_t one, two;
} combgpu__magic_match;

struct combgpu__magic_lister {
    combgpu__magic_join join;
    combgpu__magic_filling fillings[2][COMBGPU__MAGIC_FILLINGS];
    uint16_t heads[COMBGPU__MAGIC_SUBSETS]; /* first filling of ring 1 with a set, by its rank */
    combgpu__magic_match matches[COMBGPU__MAGIC_MATCHES];
};

/* The fillings of a ring with given triples at the left and at the top; returns how many. */
COMBGPU__PRIVATE int combgpu__magic_fill(const combgpu__magic_join *join,
                                         const combgpu__magic_side *l, const combgpu__magic_side *t,
                                         int below, int beside, combgpu__magic_filling *out)
{
    uint64_t mirror = join->mirror & ~(l->mirror | t->mirror);
    uint32_t used = l->used | t->used, first = 1u << l->first, last_l = 1u << l->last;
    uint32_t corners = join->unused & ~used & combgpu__magic_mirrored(mirror, below) &
                       combgpu__magic_mirrored(mirror, beside) & combgpu__magic_not_half(below) &
                       combgpu__magic_not_half(beside);
    int count = 0, b3;
    if ((t->used & l->used) != first || below == beside) return 0;
    for (; corners; corners &= corners - 1, count++, out++) {
        b3 = combgpu__lowest_bit64(corners);
        out->number[0] = l->first;
        out->number[1] = (unsigned char)combgpu__lowest_bit64(t->used & ~(first | 1u << t->last));
        out->number[2] = t->last;
        out->number[3] = (unsigned char)combgpu__lowest_bit64(l->used & ~(first | last_l));
        out->number[4] = (unsigned char)(beside - b3);
        out->number[5] = l->last;
        out->number[6] = (unsigned char)(below - b3);
        out->number[7] = (unsigned char)b3;
        out->key = (uint16_t)(l->key | t->key | join->bit[b3] | join->bit[below - b3] |
                              join->bit[beside - b3]);
    }
    return count;
}

/* All fillings of a ring; returns how many. */
COMBGPU__PRIVATE int combgpu__magic_fillings(const combgpu__magic_join *join, uint32_t way,
                                             combgpu__magic_filling *out)
{
    const combgpu__magic_sides *top = &join->sides[way & 15], *left = &join->sides[way >> 8 & 15];
    int bottom = join->sides[way >> 4 & 15].sum, right = join->sides[way >> 12 & 15].sum;
    int i, k, count = 0;
    for (i = 0; i < left->count; i++) {
        const combgpu__magic_side *l = &left->side[i];
        for (k = top->begin[l->first]; k < top->begin[l->first + 1]; k++)
            count += combgpu__magic_fill(join, l, &top->side[k], bottom - l->last,
                                         right - top->side[k].last, out + count);
    }
    return count;
}

/* The square of a configuration and two fillings. */
COMBGPU__PRIVATE void combgpu__magic_square(const uint32_t *pair, uint32_t way,
                                            const unsigned char *ring1, const unsigned char *ring2,
                                            int *square)
{
    /* cells of t1 .. b3, then a00 a44 a11 a33, a04 a40 a31 a13 (as in a way's first 16 bits) */
    static const unsigned char cells1[8] = {1, 2, 3, 11, 13, 21, 22, 23};
    static const unsigned char cells2[8] = {5, 10, 15, 7, 17, 9, 14, 19};
    static const unsigned char main_cells[4] = {0, 24, 6, 18}, other_cells[4] = {4, 20, 16, 8};
    int i;
    square[12] = (int)(pair[0] & 31);
    for (i = 0; i < 4; i++) {
        square[main_cells[i]] = combgpu__magic_diagonal_number(pair, (int)(way >> (4 * i + 2) & 3));
        square[other_cells[i]] = combgpu__magic_diagonal_number(pair, 4 + (int)(way >> 4 * i & 3));
    }
    for (i = 0; i < 8; i++) {
        square[cells1[i]] = ring1[i];
        square[cells2[i]] = ring2[i];
    }
}

COMBGPU__PRIVATE void combgpu__magic_lister_start(combgpu__magic_lister *lister,
                                                  const uint32_t *tables)
{
    memset(lister->heads, 255, sizeof lister->heads);
    combgpu__magic_join_start(&lister->join, tables);
}

/* Where a set's chain of fillings begins. */
COMBGPU__PRIVATE uint16_t *combgpu__magic_head(combgpu__magic_lister *lister, uint32_t set)
{
    return &lister->heads[lister->join.high[set >> 8 & 255] + lister->join.low[set & 255]];
}

COMBGPU__PRIVATE uint32_t combgpu__magic_code(const combgpu__magic_join *join,
                                              const unsigned char *number)
{
    static const unsigned char corners[4] = {0, 2, 5, 7};
    uint32_t code = 0;
    int i;
    for (i = 0; i < 4; i++)
        code = code << 4 | (uint32_t)combgpu__lowest_bit64(join->bit[number[corners[i]]]);
    return code;
}

/* The squares of a configuration, in order, as matches; returns how many. */
COMBGPU__PRIVATE uint32_t combgpu__magic_matches(combgpu__magic_lister *lister,
                                                 const uint32_t *tables, uint32_t number)
{
    uint32_t way = tables[COMBGPU__MAGIC_J_WAY + number % COMBGPU__MAGIC_WAYS], count = 0, at;
    combgpu__magic_match *matches = lister->matches;
    combgpu__magic_filling *one = lister->fillings[0], *two = lister->fillings[1];
    int count1, count2, i;
    combgpu__magic_join_pair(&lister->join, tables, number / COMBGPU__MAGIC_WAYS);
    count1 = combgpu__magic_fillings(&lister->join, way & 0xffff, one);
    for (i = 0; i < count1; i++) {
        uint16_t *head = combgpu__magic_head(lister, one[i].key);
        one[i].next = *head;
        *head = (uint16_t)i;
    }
    count2 = combgpu__magic_fillings(&lister->join, way >> 16, two);
    for (i = 0; i < count2; i++) {
        uint32_t k = *combgpu__magic_head(lister, ~(uint32_t)two[i].key);
        for (; k != UINT16_MAX && count < COMBGPU__MAGIC_MATCHES; k = one[k].next) {
            combgpu__magic_match match;
            match.code = combgpu__magic_code(&lister->join, one[k].number) << 16 |
                         combgpu__magic_code(&lister->join, two[i].number);
            match.one = (uint16_t)k;
            match.two = (uint16_t)i;
            for (at = count++; at && matches[at - 1].code > match.code; at--)
                matches[at] = matches[at - 1];
            matches[at] = match;
        }
    }
    for (i = 0; i < count1; i++)
        *combgpu__magic_head(lister, one[i].key) = UINT16_MAX;
    return count;
}

/* The square of a match. */
COMBGPU__PRIVATE void combgpu__magic_match_square(const combgpu__magic_lister *lister,
                                                  const uint32_t *tables, uint32_t number,
                                                  const combgpu__magic_match *match, int *square)
{
    combgpu__magic_square(
        tables + COMBGPU__MAGIC_J_PAIR + 2 * (size_t)(number / COMBGPU__MAGIC_WAYS),
        tables[COMBGPU__MAGIC_J_WAY + number % COMBGPU__MAGIC_WAYS],
        lister->fillings[0][match->one].number, lister->fillings[1][match->two].number, square);
}

/* How many squares of the list one stands for, of a pair with that centre. */
COMBGPU__PRIVATE uint32_t combgpu__magic_images(int given, int frenicle, uint32_t centre)
{
    return (given || centre == 13 ? 4u : 8u) * (frenicle ? 1u : 8u);
}

/* Lists the squares of a configuration, which should be as many as the device counted. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_hand_out(combgpu_job *job, uint32_t number,
                                                        uint32_t expected)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    uint32_t centre =
        job->tables[COMBGPU__MAGIC_J_PAIR + 2 * (size_t)(number / COMBGPU__MAGIC_WAYS)] & 31;
    uint32_t squares = combgpu__magic_matches(state->lister, job->tables, number), i;
    uint64_t calls = state->desc.frenicle ? 1 : 8;
    uint64_t each = combgpu__magic_images(state->centre, state->desc.frenicle, centre);
    combgpu_status status = COMBGPU_RUNNING;
    int square[25];
    if (squares != expected)
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel combgpu_magic_join: configuration %u has %u squares, not %u",
                             number, squares, expected);
    for (i = 0; i < squares && status == COMBGPU_RUNNING; i++) {
        combgpu__magic_match_square(state->lister, job->tables, number, &state->lister->matches[i],
                                    square);
        status = combgpu__magic_deliver_m_group(job, square, i * each, calls);
    }
    return combgpu__magic_delivered(job, status, squares * each);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_join_record(combgpu_job *job, const uint32_t *record)
{
    if (!combgpu__magic_join_adopt_record(job, record)) /* a device may err */
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel combgpu_magic_join: there is no configuration %u", record[0]);
    return combgpu__magic_hand_out(job, record[0], record[1]);
}

COMBGPU__PRIVATE void combgpu__magic_release(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu__release(job->ctx, state->lister);
}

/* ---- list: the squares of the join, made where the solver runs. A step is a pair of diagonals

   Words of `tables`: as in the join, with the goal in place of J_LIST; behind the pairs the first
   square of each, and then the parameters below. */
enum {
    COMBGPU__MAGIC_L_CENTRE = 0,   /* given; 0 = none */
    COMBGPU__MAGIC_L_FRENICLE = 1, /* one of each class, else all orientations */
    COMBGPU__MAGIC_L_FIRST = 2,    /* square to write, at the beginning of the output */
    COMBGPU__MAGIC_L_COUNT = 3,
    COMBGPU__MAGIC_L_SHIFT = 4, /* bytes from the work memory to the output, two words */
    COMBGPU__MAGIC_L_WORDS = 6
};

COMBGPU__PRIVATE combgpu_status combgpu__magic_list_tables(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    combgpu_status status =
        combgpu__magic_join_tables(job, COMBGPU__MAGIC_PAIRS + COMBGPU__MAGIC_L_WORDS);
    uint32_t pairs, *more;
    if (status) return status;
    pairs = job->tables[COMBGPU__MAGIC_J_PAIRS];
    more = job->tables + COMBGPU__MAGIC_J_PAIR + 2 * (size_t)pairs;
    if (state->offsets) memcpy(more, state->offsets, pairs * sizeof *more);
    more += pairs;
    more[COMBGPU__MAGIC_L_CENTRE] = (uint32_t)state->centre;
    more[COMBGPU__MAGIC_L_FRENICLE] = state->goal != COMBGPU__MAGIC_WRITES || state->desc.frenicle;
    more[COMBGPU__MAGIC_L_FIRST] = state->first;
    more[COMBGPU__MAGIC_L_COUNT] = state->count;
    combgpu__put64(more + COMBGPU__MAGIC_L_SHIFT, state->shift);
    job->tables[COMBGPU__MAGIC_J_LIST] = (uint32_t)state->goal;
    job->tables_bytes += (pairs + COMBGPU__MAGIC_L_WORDS) * sizeof(uint32_t);
    return COMBGPU_OK;
}

/* A record is a pair and its squares up to the M-group. */
COMBGPU__PRIVATE int combgpu__magic_list_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    return state->goal == COMBGPU__MAGIC_COUNTS && record[0] >= state->range.begin &&
           record[0] < state->range.end;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_list_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    if (!combgpu__magic_list_adopt_record(job, record)) /* a device may err */
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel combgpu_magic_lists: there is no pair %u", record[0]);
    state->index[record[0]] = record[1];
    return COMBGPU_RUNNING;
}

/* Hashes or writes one square, a number of the list; returns the hash. */
COMBGPU__PRIVATE uint64_t combgpu__magic_put_one(const combgpu__magic_state *state,
                                                 const int *square, uint32_t at)
{
    unsigned char bytes[25], *to = bytes;
    int i;
    if (state->goal == COMBGPU__MAGIC_WRITES) {
        if (at - state->first >= state->count) return 0;
        to = state->out + (size_t)(at - state->first) * 25;
    }
    for (i = 0; i < 25; i++)
        to[i] = (unsigned char)square[i];
    return state->goal == COMBGPU__MAGIC_HASHES ? combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, 25) : 0;
}

/* The images of a square, from number `at` of the list on, of each all orientations or the Frenicle
   form. Returns the sum of their hashes. */
COMBGPU__PRIVATE uint64_t combgpu__magic_put_images(const combgpu__magic_state *state,
                                                    const int *square, uint32_t at)
{
    int frenicle = state->goal != COMBGPU__MAGIC_WRITES || state->desc.frenicle;
    int image[25], turned[25], g, i, end, k = combgpu__magic_m_images(state, square, &end);
    uint64_t hash = 0;
    for (; k < end; k++) {
        combgpu__magic_m_image(5, square, k, image);
        if (frenicle) {
            combgpu__magic_to_frenicle(5, image);
            hash += combgpu__magic_put_one(state, image, at++);
            continue;
        }
        for (g = 0; g < 8; g++) {
            for (i = 0; i < 25; i++)
                turned[i] = image[state->image[g][i]];
            combgpu__magic_put_one(state, turned, at++);
        }
    }
    return hash;
}

/* The memory of a worker. */
typedef struct combgpu__magic_list_work {
    COMBGPU__MAGIC_JOIN_TYPE join; /* COUNTS, and which configurations have squares */
    combgpu__magic_lister lister;
} combgpu__magic_list_work;

/* Counts, hashes or writes the squares of a pair; returns how many there are up to the M-group. */
COMBGPU__PRIVATE uint32_t combgpu__magic_list_pair(combgpu__worker *worker,
                                                   combgpu__magic_list_work *work, uint32_t pair)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)worker->job->state;
    const uint32_t *tables = worker->tables;
    uint32_t centre = tables[COMBGPU__MAGIC_J_PAIR + 2 * (size_t)pair] & 31, w, i, found, sum = 0;
    uint32_t images = combgpu__magic_images(state->centre, state->desc.frenicle, centre);
    uint32_t at = tables[COMBGPU__MAGIC_J_PAIR + 2 * (size_t)tables[COMBGPU__MAGIC_J_PAIRS] + pair];
    for (w = 0; w < COMBGPU__MAGIC_WAYS; w++, sum += found) {
        uint32_t number = pair * COMBGPU__MAGIC_WAYS + w;
        found = COMBGPU__MAGIC_CONFIGURATION(&work->join, tables, number);
        if (!found || state->goal == COMBGPU__MAGIC_COUNTS) continue;
        if (state->goal == COMBGPU__MAGIC_WRITES &&
            (at + (sum + found) * images <= state->first ||
             at + sum * images >= state->first + state->count))
            continue;
        combgpu__magic_matches(&work->lister, tables, number);
        for (i = 0; i < found; i++) {
            int square[25];
            combgpu__magic_match_square(&work->lister, tables, number, &work->lister.matches[i],
                                        square);
            worker->totals[COMBGPU__MAGIC_HASH] +=
                combgpu__magic_put_images(state, square, at + (sum + i) * images);
        }
    }
    return sum;
}

COMBGPU__PRIVATE int combgpu__magic_list_step(combgpu__worker *worker, void *memory, uint64_t pair)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)worker->job->state;
    uint32_t centre = worker->tables[COMBGPU__MAGIC_J_PAIR + 2 * pair] & 31, record[2];
    record[0] = (uint32_t)pair;
    record[1] =
        combgpu__magic_list_pair(worker, (combgpu__magic_list_work *)memory, (uint32_t)pair);
    if (state->goal == COMBGPU__MAGIC_COUNTS && !combgpu__emit(worker, record)) return 0;
    worker->totals[COMBGPU__MAGIC_JOINED + centre] += record[1];
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_list_solve(combgpu__worker *worker)
{
    combgpu__magic_list_work *work =
        (combgpu__magic_list_work *)combgpu__magic_work(worker, sizeof(combgpu__magic_list_work));
    COMBGPU__MAGIC_JOIN_START(&work->join, worker->tables);
    combgpu__magic_lister_start(&work->lister, worker->tables);
    combgpu__magic_range_solve(worker, work, combgpu__magic_list_step);
}

/* ---- four: order 4. A step is a pair of diagonals: two sets of 4 numbers with sum 34

   a00  t1  t2 a03    row 0     t1 + t2 = 34 - a00 - a03      The same for l1 l2 r1 r2, with rows 1
    l1 a11 a12  r1    row 3     b1 + b2 = 34 - a30 - a33      and 2, columns 0 and 3. Adding up two
    l2 a21 a22  r2    column 1  t1 + b1 = 34 - a11 - a21      rows and two columns shows that the
   a30  b1  b2 a33    column 2  t2 + b2 = 34 - a12 - a22      four corners have sum 34 as well. */

#define COMBGPU__MAGIC_FOUR_PAIRS 2048 /* there are 1,075 */
#define COMBGPU__MAGIC_FOUR_SQUARES 64 /* a pair has 4 at most */

/* Words of `tables`: how many pairs, the ways as in the join, then two words a pair: A[i] << 5i and
   B[i] << 5i. */
enum { COMBGPU__MAGIC_F_PAIRS = 0, COMBGPU__MAGIC_F_WAY = 1, COMBGPU__MAGIC_F_PAIR = 37 };

COMBGPU__PRIVATE combgpu_status combgpu__magic_four_tables(combgpu_job *job)
{
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__MAGIC_F_PAIR + 2 * COMBGPU__MAGIC_FOUR_PAIRS);
    uint32_t sets[128], count = 0, *pair;
    int n = 0, i, j;
    if (status) return status;
    for (i = 15; i < 1 << 16; i++) { /* bit v - 1 for number v */
        uint32_t v, sum = 0;
        if (combgpu__popcount64((uint64_t)i) != 4) continue;
        for (v = 0; v < 16; v++)
            sum += (uint32_t)i >> v & 1 ? v + 1 : 0;
        if (sum == 34) sets[n++] = (uint32_t)i << 1;
    }
    pair = job->tables + COMBGPU__MAGIC_F_PAIR;
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++) {
            if (sets[i] & sets[j]) continue;
            pair[2 * count] = combgpu__magic_packed(sets[i]);
            pair[2 * count++ + 1] = combgpu__magic_packed(sets[j]);
        }
    job->tables[COMBGPU__MAGIC_F_PAIRS] = count;
    job->tables_bytes = (COMBGPU__MAGIC_F_PAIR + 2 * (size_t)count) * sizeof(uint32_t);
    combgpu__magic_ways(job->tables + COMBGPU__MAGIC_F_WAY);
    return COMBGPU_OK;
}

/* A ring of 4 cells: p + q and r + s are the sums `rows`, p + r and q + s the sums `columns`. Writes
   its fillings to out, bytes p q r s, and their sets to `sets`; returns how many, at most 8. */
COMBGPU__PRIVATE int combgpu__magic_four_ring(uint32_t unused, const int *rows, const int *columns,
                                              uint32_t *out, uint32_t *sets)
{
    uint32_t left = unused, set;
    int count = 0, p, q, r, s;
    for (; left; left &= left - 1) {
        p = combgpu__lowest_bit64(left);
        q = rows[0] - p;
        r = columns[0] - p;
        s = columns[1] - q;
        if (q < 1 || r < 1 || s < 1 || q > 16 || r > 16 || s > 16) continue;
        set = 1u << p | 1u << q | 1u << r | 1u << s;
        if ((set & ~unused) || combgpu__popcount64(set) != 4) continue;
        sets[count] = set;
        out[count++] = (uint32_t)p | (uint32_t)q << 8 | (uint32_t)r << 16 | (uint32_t)s << 24;
    }
    return count;
}

/* Appends the squares of a way to put the pair on the diagonals, 16 bytes each, to the `count` that
   are in `squares`; returns how many there are then. */
COMBGPU__PRIVATE int combgpu__magic_four_way(const uint32_t *a, const uint32_t *b, uint32_t way,
                                             uint32_t unused, uint32_t (*squares)[4], int count)
{
    /* the way's first half: a00 b03, a33 b30, a11 b21, a22 b12 as 4 * A + B */
    int a00 = (int)a[way >> 2 & 3], a03 = (int)b[way & 3], a33 = (int)a[way >> 6 & 3];
    int a30 = (int)b[way >> 4 & 3], a11 = (int)a[way >> 10 & 3], a21 = (int)b[way >> 8 & 3];
    int a22 = (int)a[way >> 14 & 3], a12 = (int)b[way >> 12 & 3];
    int rows[4] = {34 - a00 - a03, 34 - a30 - a33, 34 - a11 - a12, 34 - a21 - a22};
    int columns[4] = {34 - a11 - a21, 34 - a12 - a22, 34 - a00 - a30, 34 - a03 - a33};
    uint32_t ring[2][8], sets[2][8];
    int i, k, counts[2];
    if (a00 + a33 + a03 + a30 != 34) return count;
    counts[0] = combgpu__magic_four_ring(unused, rows, columns, ring[0], sets[0]);
    if (!counts[0]) return count;
    counts[1] = combgpu__magic_four_ring(unused, rows + 2, columns + 2, ring[1], sets[1]);
    for (i = 0; i < counts[0]; i++)
        for (k = 0; k < counts[1]; k++) {
            uint32_t t = ring[0][i], l = ring[1][k], *square = squares[count]; /* t1 t2 b1 b2 */
            if (sets[0][i] & sets[1][k]) continue;                             /* l1 r1 l2 r2 */
            square[0] = (uint32_t)a00 | (t & 0xffff) << 8 | (uint32_t)a03 << 24;
            square[1] = (l & 255) | (uint32_t)a11 << 8 | (uint32_t)a12 << 16 | (l & 0xff00) << 16;
            square[2] =
                (l >> 16 & 255) | (uint32_t)a21 << 8 | (uint32_t)a22 << 16 | (l & 0xff000000);
            square[3] = (uint32_t)a30 | (t >> 16) << 8 | (uint32_t)a33 << 24;
            count++;
        }
    return count;
}

/* All squares of a pair, up to the M-group; returns how many. */
COMBGPU__PRIVATE int combgpu__magic_four_squares(const uint32_t *tables, uint32_t number,
                                                 uint32_t (*squares)[4])
{
    const uint32_t *pair = tables + COMBGPU__MAGIC_F_PAIR + 2 * (size_t)number;
    uint32_t a[4], b[4], unused = 0x1fffe, w;
    int i, count = 0;
    for (i = 0; i < 4; i++) {
        a[i] = pair[0] >> 5 * i & 31;
        b[i] = pair[1] >> 5 * i & 31;
        unused &= ~(1u << a[i] | 1u << b[i]);
    }
    for (w = 0; w < COMBGPU__MAGIC_WAYS; w++)
        count =
            combgpu__magic_four_way(a, b, tables[COMBGPU__MAGIC_F_WAY + w], unused, squares, count);
    return count;
}

/* A record is a pair that has squares, and how many. */
COMBGPU__PRIVATE int combgpu__magic_four_step(combgpu__worker *worker, void *memory, uint64_t pair)
{
    uint32_t squares[COMBGPU__MAGIC_FOUR_SQUARES][4], record[2];
    (void)memory;
    record[0] = (uint32_t)pair;
    record[1] = (uint32_t)combgpu__magic_four_squares(worker->tables, record[0], squares);
    return !record[1] || combgpu__emit(worker, record);
}

COMBGPU__PRIVATE void combgpu__magic_four_solve(combgpu__worker *worker)
{
    combgpu__magic_range_solve(worker, NULL, combgpu__magic_four_step);
}

COMBGPU__PRIVATE int combgpu__magic_four_adopt_record(combgpu_job *job, const uint32_t *record)
{
    uint32_t squares[COMBGPU__MAGIC_FOUR_SQUARES][4];
    return record[0] < job->tables[COMBGPU__MAGIC_F_PAIRS] && record[1] &&
           record[1] == (uint32_t)combgpu__magic_four_squares(job->tables, record[0], squares);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_four_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    uint64_t calls = state->desc.frenicle ? 1 : 8;
    uint32_t squares[COMBGPU__MAGIC_FOUR_SQUARES][4], k;
    combgpu_status status = COMBGPU_RUNNING;
    int square[16], i;
    if (!combgpu__magic_four_adopt_record(job, record)) /* a device may err */
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel combgpu_magic_four: pair %u has not %u squares", record[0],
                             record[1]);
    combgpu__magic_four_squares(job->tables, record[0], squares);
    for (k = 0; k < record[1] && status == COMBGPU_RUNNING; k++) {
        for (i = 0; i < 16; i++)
            square[i] = (int)(squares[k][i / 4] >> 8 * (i % 4) & 255);
        status = combgpu__magic_deliver_m_group(job, square, 4 * calls * k, calls);
    }
    return combgpu__magic_delivered(job, status, 4 * calls * record[1]);
}

/* ---- semi: order 5. A unit is two disjoint rows, one with 1 and one with the least other number,
   and every 8th of the sets that may be the third row, which holds the least number then left. */

#define COMBGPU__MAGIC_SERIES 1394 /* sets of 5 numbers with sum 65 */
#define COMBGPU__MAGIC_SEMI_PAIRS 23676
#define COMBGPU__MAGIC_SEMI_PARTS 8u

/* Words of `tables`: how many units; the first of the series with a least number (1 to 26), which
   are in lexicographic order; the series, bit v for number v; the pairs, two words each. */
enum {
    COMBGPU__MAGIC_S_UNITS = 0,
    COMBGPU__MAGIC_S_FIRST = 1,
    COMBGPU__MAGIC_S_SERIES = 28,
    COMBGPU__MAGIC_S_PAIR = COMBGPU__MAGIC_S_SERIES + COMBGPU__MAGIC_SERIES,
    COMBGPU__MAGIC_S_WORDS = COMBGPU__MAGIC_S_PAIR + 2 * COMBGPU__MAGIC_SEMI_PAIRS
};

COMBGPU__PRIVATE combgpu_status combgpu__magic_semi_tables(combgpu_job *job)
{
    combgpu_status status = combgpu__job_tables(job, COMBGPU__MAGIC_S_WORDS);
    uint32_t *tables = job->tables, *first, *series, *pair, a, i, k;
    uint64_t sets[COMBGPU__MAGIC_SERIES];
    if (status) return status;
    first = tables + COMBGPU__MAGIC_S_FIRST;
    series = tables + COMBGPU__MAGIC_S_SERIES;
    pair = tables + COMBGPU__MAGIC_S_PAIR;
    combgpu__magic_series(5, 1, 25, 65, 0, sets);
    for (i = 0; i < COMBGPU__MAGIC_SERIES; i++)
        series[i] = (uint32_t)sets[i];
    for (a = 1, i = 0; a <= 26; a++) {
        first[a] = i;
        while (i < COMBGPU__MAGIC_SERIES && series[i] >> a & 1)
            i++;
    }
    for (i = 0; i < first[2]; i++) {
        a = (uint32_t)combgpu__lowest_bit64(~series[i] & 0x3fffffe);
        for (k = first[a]; k < first[a + 1]; k++)
            if (!(series[i] & series[k])) {
                *pair++ = series[i];
                *pair++ = series[k];
            }
    }
    tables[COMBGPU__MAGIC_S_UNITS] =
        (uint32_t)(pair - tables - COMBGPU__MAGIC_S_PAIR) / 2 * COMBGPU__MAGIC_SEMI_PARTS;
    return COMBGPU_OK;
}

/* Columns through a number of row 0: one place of each other row, 3 bits each. */
typedef struct combgpu__magic_columns {
    int count;
    uint16_t places[64]; /* there are at most 59 */
} combgpu__magic_columns;

/* Of some columns, as bits: those that use a place (5 * row + place). */
typedef struct combgpu__magic_users {
    uint64_t all, user[20];
} combgpu__magic_users;

COMBGPU__PRIVATE uint64_t combgpu__magic_free(const combgpu__magic_users *users, int places)
{
    const uint64_t *user = users->user;
    return ~(user[places & 7] | user[5 + (places >> 3 & 7)] | user[10 + (places >> 6 & 7)] |
             user[15 + (places >> 9)]);
}

COMBGPU__PRIVATE void combgpu__magic_use(const combgpu__magic_columns *columns,
                                         combgpu__magic_users *users)
{
    int i;
    memset(users, 0, sizeof *users);
    for (i = 0; i < columns->count; i++) {
        uint64_t bit = UINT64_C(1) << i;
        int places = columns->places[i];
        users->all |= bit;
        users->user[places & 7] |= bit;
        users->user[5 + (places >> 3 & 7)] |= bit;
        users->user[10 + (places >> 6 & 7)] |= bit;
        users->user[15 + (places >> 9)] |= bit;
    }
}

/* The columns through the first four numbers of row 0. The pairs of numbers of rows 3 and 4 lie
   ready by their sums. */
COMBGPU__PRIVATE void combgpu__magic_make_columns(const uint32_t *rows,
                                                  combgpu__magic_columns *columns)
{
    uint32_t by_sum[64] = {0}, set, found;
    int number[5][5], c, i, k, at;
    for (c = 0; c < 5; c++)
        for (i = 0, set = rows[c]; i < 5; i++, set &= set - 1)
            number[c][i] = combgpu__lowest_bit64(set);
    for (i = 0; i < 25; i++)
        by_sum[number[3][i / 5] + number[4][i % 5]] |= 1u << i;
    for (c = 0; c < 4; c++)
        for (columns[c].count = i = 0; i < 25; i++) {
            at = 65 - number[0][c] - number[1][i / 5] - number[2][i % 5];
            found = at > 0 && at < 64 ? by_sum[at] : 0;
            for (; found; found &= found - 1) {
                k = combgpu__lowest_bit64(found);
                columns[c].places[columns[c].count++] =
                    (uint16_t)(i / 5 | (i % 5) << 3 | (k / 5) << 6 | (k % 5) << 9);
            }
        }
}

/* The partitions into columns that meet every row in one number: columns 0 and 1 one after the
   other; for each column 2 that is left the columns 3; the last one follows. */
COMBGPU__PRIVATE uint32_t combgpu__magic_orthogonal(const uint32_t *rows)
{
    combgpu__magic_columns columns[4];
    combgpu__magic_users two, three;
    uint64_t free2[64], free3[64], last[64];
    uint32_t sum = 0;
    int i, k;
    combgpu__magic_make_columns(rows, columns);
    combgpu__magic_use(&columns[2], &two);
    combgpu__magic_use(&columns[3], &three);
    for (i = 0; i < columns[1].count; i++) {
        free2[i] = combgpu__magic_free(&two, columns[1].places[i]);
        free3[i] = combgpu__magic_free(&three, columns[1].places[i]);
    }
    for (i = 0; i < columns[2].count; i++)
        last[i] = combgpu__magic_free(&three, columns[2].places[i]);
    for (i = 0; i < columns[0].count; i++) {
        int places = columns[0].places[i];
        uint64_t may2 = two.all & combgpu__magic_free(&two, places);
        uint64_t may3 = three.all & combgpu__magic_free(&three, places);
        for (k = 0; k < columns[1].count; k++) {
            int d = places ^ columns[1].places[k];
            uint64_t may = may2 & free2[k], then = may3 & free3[k];
            if (!(d & 7) || !(d & 070) || !(d & 0700) || !(d & 07000) || !then) continue;
            for (; may; may &= may - 1)
                sum += (uint32_t)combgpu__popcount64(then & last[combgpu__lowest_bit64(may)]);
        }
    }
    return sum;
}

/* How often partitions with these rows count: those whose row with 1 is less than the complement of
   the row with 25 stand for their complements too. 3 = the row with 25 is not among them. */
COMBGPU__PRIVATE uint32_t combgpu__magic_semi_weight(const uint32_t *rows, int count)
{
    uint32_t turned = 0;
    int i, v;
    for (i = 0; i < count; i++)
        if (rows[i] >> 25 & 1) {
            for (v = 1; v <= 25; v++)
                turned |= (rows[i] >> v & 1) << (26 - v);
            return turned > rows[0] ? 2 : turned == rows[0];
        }
    return 3;
}

/* The orthogonal pairs of partitions in a unit. */
COMBGPU__PRIVATE uint64_t combgpu__magic_semi_unit(const uint32_t *tables, uint32_t unit)
{
    const uint32_t *pair = tables + COMBGPU__MAGIC_S_PAIR + 2 * (unit / COMBGPU__MAGIC_SEMI_PARTS);
    const uint32_t *first = tables + COMBGPU__MAGIC_S_FIRST;
    const uint32_t *series = tables + COMBGPU__MAGIC_S_SERIES;
    uint32_t rows[5], unused = ~(pair[0] | pair[1]) & 0x3fffffe, left, i, k, weight;
    uint64_t sum = 0;
    int least = combgpu__lowest_bit64(unused), next;
    rows[0] = pair[0];
    rows[1] = pair[1];
    if (!combgpu__magic_semi_weight(rows, 2)) return 0;
    for (i = first[least] + unit % COMBGPU__MAGIC_SEMI_PARTS; i < first[least + 1];
         i += COMBGPU__MAGIC_SEMI_PARTS) {
        rows[2] = series[i];
        if ((rows[2] & ~unused) || !combgpu__magic_semi_weight(rows, 3)) continue;
        left = unused & ~rows[2];
        next = combgpu__lowest_bit64(left);
        for (k = first[next]; k < first[next + 1]; k++) {
            rows[3] = series[k];
            rows[4] = left & ~rows[3];
            if (rows[3] & ~left) continue;
            weight = combgpu__magic_semi_weight(rows, 5);
            if (weight) sum += weight * combgpu__magic_orthogonal(rows);
        }
    }
    return sum;
}

COMBGPU__PRIVATE int combgpu__magic_semi_step(combgpu__worker *worker, void *memory, uint64_t unit)
{
    uint64_t found = combgpu__magic_semi_unit(worker->tables, (uint32_t)unit);
    (void)memory;
    worker->totals[COMBGPU__MAGIC_HASH] += combgpu__mix(unit << 32 | found);
    worker->totals[COMBGPU__MAGIC_ORTHOGONAL] += found;
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_semi_solve(combgpu__worker *worker)
{
    combgpu__magic_range_solve(worker, NULL, combgpu__magic_semi_step);
}

/* ---- begin, end */

COMBGPU__PRIVATE void combgpu__magic_parameters(combgpu_job *job)
{
    const combgpu__magic_state *state = (const combgpu__magic_state *)job->state;
    char *text = job->parameters;
    size_t size = sizeof job->parameters, at;
    int i;
    at = (size_t)snprintf(text, size, "order %d kind %d list %s givens", state->order,
                          (int)state->desc.kind,
                          state->method == COMBGPU__MAGIC_LIST ? "checksum"
                          : !state->desc.solution              ? "none"
                          : state->desc.frenicle               ? "frenicle"
                                                               : "all");
    for (i = 0; i < state->cells && state->given_count; i++)
        at += (size_t)snprintf(text + at, size - at, " %d", state->givens[i]);
    if (state->desc.numbers)
        (void)snprintf(text + at, size - at, " numbers %016llx",
                       (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, state->number,
                                                        sizeof state->number));
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_search(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    uint32_t words = ((uint32_t)state->cells + 3) / 4;
    combgpu__magic_parameters(job);
    combgpu__magic_plan(state);
    job->kernel.left_per_worker = state->levels;
    job->records_repeat = 1;
    /* the kernel of NUMBERS has one size for all orders */
    job->task_words = state->method == COMBGPU__MAGIC_NUMBERS ? 9 : 3 + words;
    job->record_words = words;
    job->record_capacity = COMBGPU__MAGIC_RECORDS;
    return combgpu__magic_search_tables(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_join(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_context *ctx = job->ctx;
    combgpu_status status;
    combgpu__magic_parameters(job);
    state->centre = state->givens[12];
    job->range_tasks = job->records_repeat = 1;
    job->cpu_work_bytes_per_worker = sizeof(COMBGPU__MAGIC_JOIN_TYPE); /* kernels: local memory */
    status = combgpu__magic_join_tables(job, 0);
    if (status) return status;
    state->range.end = (uint64_t)job->tables[COMBGPU__MAGIC_J_PAIRS] * COMBGPU__MAGIC_WAYS;
    state->range.pieces = combgpu__magic_pieces(job->tables[COMBGPU__MAGIC_J_PAIRS]);
    if (!state->desc.solution) return COMBGPU_OK;
    job->record_capacity = COMBGPU__MAGIC_RECORDS;
    state->lister = (combgpu__magic_lister *)combgpu__allocate(ctx, sizeof *state->lister);
    if (!state->lister) return combgpu__no_memory(ctx, sizeof *state->lister);
    combgpu__magic_lister_start(state->lister, job->tables);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_four(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_status status = combgpu__magic_four_tables(job);
    combgpu__magic_parameters(job);
    job->range_tasks = job->records_repeat = 1;
    job->record_capacity = COMBGPU__MAGIC_RECORDS;
    if (!status) state->range.end = state->range.pieces = job->tables[COMBGPU__MAGIC_F_PAIRS];
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_semi(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_status status = combgpu__magic_semi_tables(job);
    combgpu__magic_parameters(job);
    job->range_tasks = 1;
    if (!status) /* there are GPUs with as many lanes */
        state->range.end = state->range.pieces = job->tables[COMBGPU__MAGIC_S_UNITS];
    return status;
}

/* The rest of the state is set: range.end 0 = all pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_list(combgpu_job *job)
{
    combgpu__magic_state *state = (combgpu__magic_state *)job->state;
    combgpu_status status;
    combgpu__magic_parameters(job);
    state->centre = state->givens[12];
    if (state->goal == COMBGPU__MAGIC_COUNTS) job->record_capacity = COMBGPU__MAGIC_RECORDS;
    job->cpu_work_bytes_per_worker = sizeof(combgpu__magic_list_work);
    job->one_device = state->goal == COMBGPU__MAGIC_WRITES;
    if (state->device_out) job->caller_work = *state->device_out;
    status = combgpu__magic_list_tables(job);
    if (status) return status;
    if (!state->range.end) state->range.end = job->tables[COMBGPU__MAGIC_J_PAIRS];
    state->range.pieces = combgpu__magic_pieces(state->range.end - state->range.begin);
    return COMBGPU_OK;
}

/* By combgpu__magic_method. */
static const combgpu__magic_solver combgpu__magic_solvers[6] = {
    {{"magic search", combgpu__magic_search_frontier, combgpu__magic_search_record, NULL, NULL,
      combgpu__magic_solutions, combgpu__magic_search_adopt_task,
      combgpu__magic_search_adopt_record, NULL},
     {"combgpu_magic_search", "MAGIC", combgpu__magic_search_solve, 1, 128, 1, 256, NULL, NULL},
     combgpu__magic_begin_search,
     0},
    {{"magic join", combgpu__magic_range_frontier, combgpu__magic_join_record,
      combgpu__magic_slice_done, NULL, combgpu__magic_solutions, combgpu__magic_range_adopt_task,
      combgpu__magic_join_adopt_record, combgpu__magic_release},
     {"combgpu_magic_join", "MAGIC", combgpu__magic_join_solve, 256, 256, 1, 16, NULL, NULL},
     combgpu__magic_begin_join,
     2},
    {{"magic four", combgpu__magic_range_frontier, combgpu__magic_four_record, NULL, NULL,
      combgpu__magic_solutions, combgpu__magic_range_adopt_task, combgpu__magic_four_adopt_record,
      NULL},
     {"combgpu_magic_four", "MAGIC", combgpu__magic_four_solve, 1, 32, 1, 1024, NULL, NULL},
     combgpu__magic_begin_four,
     2},
    {{"magic semi", combgpu__magic_range_frontier, combgpu__magic_no_record,
      combgpu__magic_slice_done, NULL, combgpu__magic_solutions, combgpu__magic_range_adopt_task,
      combgpu__magic_adopt_no_record, NULL},
     {"combgpu_magic_semi", "MAGIC", combgpu__magic_semi_solve, 1, 64, 1, 8, NULL, NULL},
     combgpu__magic_begin_semi,
     2},
    {{"magic list", combgpu__magic_range_frontier, combgpu__magic_list_record,
      combgpu__magic_slice_done, NULL, combgpu__magic_solutions, combgpu__magic_range_adopt_task,
      combgpu__magic_list_adopt_record, NULL},
     {"combgpu_magic_lists", "MAGIC", combgpu__magic_list_solve, 256, 256, 1, 4, NULL, NULL},
     combgpu__magic_begin_list,
     2},
    {{"magic numbers", combgpu__magic_search_frontier, combgpu__magic_search_record, NULL, NULL,
      combgpu__magic_solutions, combgpu__magic_search_adopt_task,
      combgpu__magic_search_adopt_record, NULL},
     {"combgpu_magic_ranks", "MAGIC6", combgpu__magic_search_solve, 1, 128, 1, 256, NULL, NULL},
     combgpu__magic_begin_search,
     0}};

COMBGPU__DEF combgpu_status combgpu_magic_begin(combgpu_context *ctx,
                                                const combgpu_magic_desc *desc, combgpu_job **out)
{
    combgpu__magic_state state;
    combgpu_status status = combgpu__magic_arguments(ctx, desc, out);
    if (status) return status;
    memset(&state, 0, sizeof state);
    status = combgpu__magic_validate(ctx, desc, &state);
    if (status) return status;
    return combgpu__magic_create(ctx, &combgpu__magic_solvers[state.method], &state, sizeof state,
                                 &desc->run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_end(combgpu_job *job, combgpu_magic_result *result)
{
    const combgpu__magic_state *state;
    combgpu_magic_result r;
    combgpu_status status;
    int counted, c;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, !strncmp(job->problem->name, "magic ", 6), "combgpu_magic_begin");
    if (status) return status;
    state = (const combgpu__magic_state *)job->state;
    memset(&r, 0, sizeof r);
    counted = state->method == COMBGPU__MAGIC_SEMIS || combgpu__magic_is_joined(state);
    r.count = combgpu__magic_solutions(job);
    r.up_to_d4 = r.count / (uint64_t)state->image_count;
    if (combgpu__magic_has_m_group(state))
        r.up_to_m_group =
            state->method == COMBGPU__MAGIC_SEARCH || state->method == COMBGPU__MAGIC_NUMBERS
                ? job->sums[COMBGPU__MAGIC_M_CLASSES]
                : r.up_to_d4 / 4;
    for (c = 1; c <= 25 && state->order % 2; c++)
        if (!counted)
            r.by_centre[c] = job->sums[COMBGPU__MAGIC_BY_CENTRE + c];
        else if (state->method == COMBGPU__MAGIC_SEMIS)
            r.by_centre[c] = r.up_to_d4 / 25; /* rows and columns change places */
        else if (!state->centre || c == state->centre)
            r.by_centre[c] = 4 * job->sums[COMBGPU__MAGIC_JOINED + (c > 13 ? 26 - c : c)];
    status = combgpu__job_ended(
        job, job->sums[counted ? COMBGPU__MAGIC_HASH : COMBGPU__MAGIC_CHECKSUM], &r.run);
    if (result) *result = r;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic(combgpu_context *ctx, const combgpu_magic_desc *desc,
                                          combgpu_magic_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    status = combgpu_magic_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_magic_end(job, result);
}

/* ---- lists in order */

/* One call of combgpu_magic_list. */
typedef struct combgpu__magic_output {
    combgpu_context *ctx;
    const combgpu_magic_list_desc *desc;
    combgpu_magic_list_result *result;
    combgpu__magic_state state;
    uint32_t *counts, *offsets; /* of the join, by pair */
    unsigned char *found;       /* of a search: all squares */
    size_t found_count, found_room;
    unsigned char *chunk; /* squares on their way */
    char *text;
    size_t chunk_squares, cell_bytes;
    combgpu__memory device; /* the caller's, or a chunk */
    int owns_device;
    size_t shift;
    combgpu_status failed; /* in the collector */
    double began;
    double from, to; /* the part of the call that the job which runs is, for progress */
#ifndef COMBGPU_NO_STDIO
    FILE *file;
#endif
} combgpu__magic_output;

/* Tells the caller's callback about the call, of which a job is a part. */
COMBGPU__PRIVATE int combgpu__magic_list_progress(const combgpu_progress *progress, void *user)
{
    const combgpu__magic_output *o = (const combgpu__magic_output *)user;
    combgpu_progress all = *progress;
    double part = o->from + (o->to - o->from) * progress->fraction;
    all.fraction = part;
    all.elapsed_s = combgpu__now() - o->began;
    all.remaining_s = part > 0.001 ? all.elapsed_s * (1 / part - 1) : -1;
    all.remaining_error_s = -1;
    all.steps += o->result->run.steps;
    all.solutions = o->result->count;
    return o->desc->run.progress(&all, o->desc->run.progress_user);
}

/* How the jobs of a call run. */
COMBGPU__PRIVATE combgpu_run_desc combgpu__magic_list_runs(combgpu__magic_output *o)
{
    combgpu_run_desc run = o->desc->run;
    double left = run.time_limit_s + o->began - combgpu__now();
    run.shard_index = run.shard_count = 0;
    if (run.time_limit_s > 0) run.time_limit_s = left > 1e-6 ? left : 1e-6;
    if (run.progress) {
        run.progress = combgpu__magic_list_progress;
        run.progress_user = o;
    }
    return run;
}

/* Runs a job of the list solver to its end. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_list_run(combgpu__magic_output *o)
{
    combgpu_run_desc run = combgpu__magic_list_runs(o);
    combgpu_run_info info;
    combgpu_job *job;
    combgpu_status status;
    run.verify = 0;
    if (o->state.goal == COMBGPU__MAGIC_WRITES) run.self_test = 0; /* for each chunk: too often */
    status = combgpu__magic_create(o->ctx, &combgpu__magic_solvers[COMBGPU__MAGIC_LIST], &o->state,
                                   sizeof o->state, &run, &job);
    if (status) return status;
    combgpu__run(job);
    status = combgpu__job_ended(job, 0, &info);
    if (o->state.goal == COMBGPU__MAGIC_WRITES)
        o->result->run.device_seconds += info.device_seconds;
    o->result->run.steps += info.steps;
    o->result->run.slices += info.slices;
    return status;
}

/* How many squares each pair has: counted, or from the context. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_index(combgpu__magic_output *o)
{
    combgpu_context *ctx = o->ctx;
    int centre = o->state.givens[12];
    combgpu_status status;
    if (centre > 13) centre = 26 - centre;
    if (ctx->magic_index && ctx->magic_index_centre == centre) return COMBGPU_OK;
    combgpu__release(ctx, ctx->magic_index);
    ctx->magic_index = NULL;
    o->counts = (uint32_t *)combgpu__allocate_zeroed(ctx, COMBGPU__MAGIC_PAIRS * sizeof(uint32_t));
    if (!o->counts) return combgpu__no_memory(ctx, COMBGPU__MAGIC_PAIRS * sizeof(uint32_t));
    o->state.goal = COMBGPU__MAGIC_COUNTS;
    o->state.index = o->counts;
    o->to = 0.5;
    status = combgpu__magic_list_run(o);
    if (status) return status;
    ctx->magic_index = o->counts;
    ctx->magic_index_centre = centre;
    o->counts = NULL;
    return COMBGPU_OK;
}

/* From the index to the first square of each pair, and the length of the list. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_offsets(combgpu__magic_output *o)
{
    size_t bytes = (COMBGPU__MAGIC_PAIRS + 1) * 2 * sizeof(uint32_t);
    int given = o->state.givens[12], centre = given > 13 ? 26 - given : given;
    uint32_t *pairs = (uint32_t *)combgpu__allocate(o->ctx, bytes), n, i, at = 0;
    o->offsets = (uint32_t *)combgpu__allocate(o->ctx, bytes);
    if (pairs && o->offsets) {
        n = combgpu__magic_pairs(centre ? centre : 1, centre ? centre : 13, pairs);
        for (i = 0; i < n; i++) {
            o->offsets[i] = at;
            at += o->ctx->magic_index[i] *
                  combgpu__magic_images(given, o->desc->frenicle, pairs[2 * i] & 31);
        }
        o->offsets[n] = at;
        o->state.range.end = n;
        o->state.offsets = o->offsets;
        o->result->total = at;
    }
    combgpu__release(o->ctx, pairs);
    return pairs && o->offsets ? COMBGPU_OK : combgpu__no_memory(o->ctx, bytes);
}

/* The last pair that begins at or before a square. */
COMBGPU__PRIVATE uint32_t combgpu__magic_pair_of(const uint32_t *offsets, uint32_t pairs,
                                                 uint64_t square)
{
    uint32_t low = 0, high = pairs;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (offsets[middle] <= square)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes squares of the list at `to` on the host, or in o->device. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_make(combgpu__magic_output *o, uint64_t first,
                                                    size_t count, unsigned char *to)
{
    size_t bytes = count * o->cell_bytes;
    uint32_t pairs;
    combgpu_status status;
    if (o->state.method != COMBGPU__MAGIC_JOIN) {
        const unsigned char *from = o->found + (size_t)first * o->cell_bytes;
        if (o->device.handle)
            return o->ctx->backend->upload(o->ctx, &o->device, o->shift, from, bytes);
        memcpy(to, from, bytes);
        return COMBGPU_OK;
    }
    pairs = (uint32_t)o->state.range.end;
    o->state.goal = COMBGPU__MAGIC_WRITES;
    o->state.first = (uint32_t)first;
    o->state.count = (uint32_t)count;
    o->state.out = to;
    o->state.device_out = o->device.handle ? &o->device : NULL;
    o->state.shift = o->shift;
    o->state.range.begin = combgpu__magic_pair_of(o->offsets, pairs, first);
    o->state.range.end = combgpu__magic_pair_of(o->offsets, pairs, first + count - 1) + 1;
    status = combgpu__magic_list_run(o);
    o->state.range.end = pairs;
    if (status || !o->device.handle || !o->owns_device) return status;
    return o->ctx->backend->download(o->ctx, to, &o->device, 0, bytes);
}

#ifndef COMBGPU_NO_STDIO
/* Squares as text; returns its length. */
COMBGPU__PRIVATE size_t combgpu__magic_text(const unsigned char *squares, size_t count, int order,
                                            char *text)
{
    int cells = order * order, wide = cells > 9, i;
    char *to = text;
    for (; count; count--, squares += cells) {
        for (i = 0; i < cells; i++) {
            int number = squares[i];
            if (wide) *to++ = number > 9 ? (char)('0' + number / 10) : ' ';
            *to++ = (char)('0' + number % 10);
            *to++ = i % order == order - 1 ? '\n' : ' ';
        }
        *to++ = '\n';
    }
    return (size_t)(to - text);
}
#endif

/* Hands over a chunk; *count gets how many of its squares. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_hand_over(combgpu__magic_output *o,
                                                         const unsigned char *squares,
                                                         size_t *count)
{
    int cells = o->state.cells, square[COMBGPU__MAGIC_CELLS], i;
    size_t k, n = *count;
    for (k = 0; k < n; k++) {
        const unsigned char *bytes = squares + k * o->cell_bytes;
        o->result->run.checksum += combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, o->cell_bytes);
        if (!o->desc->solution) continue;
        for (i = 0; i < cells; i++)
            square[i] = bytes[i];
        if (!o->desc->solution(square, o->state.order, o->desc->solution_user)) continue;
        *count = k + 1;
        return COMBGPU_STOPPED;
    }
#ifndef COMBGPU_NO_STDIO
    if (o->file) {
        size_t bytes = n * o->cell_bytes;
        const void *from = squares;
        if (o->text) {
            bytes = combgpu__magic_text(squares, n, o->state.order, o->text);
            from = o->text;
        }
        if (fwrite(from, 1, bytes, o->file) != bytes)
            return combgpu__fail(o->ctx, COMBGPU_FILE_ERROR, "%s cannot be written: %s",
                                 o->desc->path, strerror(errno));
    }
#endif
    return COMBGPU_OK;
}

/* The range, chunk by chunk; into the caller's memory in one piece. Between chunks: time limit and
   progress. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_chunks(combgpu__magic_output *o, uint64_t first,
                                                      uint64_t count)
{
    const combgpu_run_desc *run = &o->desc->run;
    combgpu_progress progress;
    combgpu_status status = COMBGPU_OK;
    double begin = o->to;
    uint64_t done = 0;
    memset(&progress, 0, sizeof progress);
    progress.fraction = 1; /* of the chunk */
    while (done < count && !status) {
        size_t n = count - done < o->chunk_squares ? (size_t)(count - done) : o->chunk_squares;
        unsigned char *to = o->desc->out ? o->desc->out + (size_t)done * o->cell_bytes : o->chunk;
        o->from = o->to;
        o->to = begin + (1 - begin) * (double)(done + n) / (double)count;
        status = combgpu__magic_make(o, first + done, n, to);
        if (status) break;
        if (!o->desc->device_out.memory) status = combgpu__magic_hand_over(o, to, &n);
        if (status >= 0) done += n;
        o->result->count = done;
        if (!status && run->time_limit_s > 0 && combgpu__now() - o->began >= run->time_limit_s)
            status = COMBGPU_STOPPED;
        if (!status && run->progress && combgpu__magic_list_progress(&progress, o))
            status = COMBGPU_STOPPED;
        if (status == COMBGPU_STOPPED && done == count && !o->desc->solution) status = COMBGPU_OK;
    }
    return status;
}

/* The callback that gathers what a search finds, in COMBGPU__MAGIC_CELLS bytes each. */
COMBGPU__PRIVATE int combgpu__magic_gather(const int *square, int order, void *user)
{
    combgpu__magic_output *o = (combgpu__magic_output *)user;
    unsigned char *to;
    int i;
    if (o->found_count == o->found_room) {
        size_t room = o->found_room ? 2 * o->found_room : 4096;
        size_t bytes = combgpu__bytes(room, COMBGPU__MAGIC_CELLS);
        unsigned char *grown = (unsigned char *)combgpu__allocate_zeroed(o->ctx, bytes);
        if (!grown) {
            o->failed = combgpu__no_memory(o->ctx, bytes);
            return 1;
        }
        if (o->found) memcpy(grown, o->found, o->found_count * COMBGPU__MAGIC_CELLS);
        combgpu__release(o->ctx, o->found);
        o->found = grown;
        o->found_room = room;
    }
    to = o->found + o->found_count++ * COMBGPU__MAGIC_CELLS;
    for (i = 0; i < order * order; i++)
        to[i] = (unsigned char)square[i];
    return 0;
}

COMBGPU__PRIVATE int combgpu__magic_compare(const void *a, const void *b)
{
    return memcmp(a, b, COMBGPU__MAGIC_CELLS);
}

/* All squares of a search, sorted, without gaps. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_find_all(combgpu__magic_output *o)
{
    combgpu_magic_desc desc = o->state.desc;
    combgpu_magic_result found;
    combgpu_status status;
    size_t i;
    desc.run = combgpu__magic_list_runs(o);
    desc.solution = combgpu__magic_gather;
    desc.solution_user = o;
    o->to = 0.5;
    status = combgpu_magic(o->ctx, &desc, &found);
    if (o->failed) return o->failed;
    if (status) return status;
    o->result->run.device_seconds = found.run.device_seconds;
    o->result->run.steps = found.run.steps;
    o->result->run.slices = found.run.slices;
    o->result->total = o->found_count;
    if (o->found) qsort(o->found, o->found_count, COMBGPU__MAGIC_CELLS, combgpu__magic_compare);
    for (i = 1; i < o->found_count; i++)
        memmove(o->found + i * o->cell_bytes, o->found + i * COMBGPU__MAGIC_CELLS, o->cell_bytes);
    return COMBGPU_OK;
}

/* Where to: one place. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_places(combgpu__magic_output *o)
{
    const combgpu_magic_list_desc *d = o->desc;
    int places = (d->solution != NULL) + (d->out != NULL) + (d->device_out.memory != NULL) +
                 (d->path != NULL);
    const char *what = d->run.checkpoint_path || d->run.resume || d->run.resume_data ? "checkpoint"
                       : d->run.merge_paths || d->run.merge_count                    ? "merge"
                                                                                     : NULL;
    if (places != 1)
        return combgpu__fail(
            o->ctx, COMBGPU_INVALID_ARGUMENT,
            "%s of solution, out, device_out.memory and path set; a list needs one",
            places ? "several are" : "none is");
    if (what)
        return combgpu__fail(o->ctx, COMBGPU_INVALID_ARGUMENT,
                             "run asks for a %s; a list has no checkpoint: one that was stopped "
                             "goes on with first + result.count",
                             what);
#ifdef COMBGPU_NO_STDIO
    if (d->path)
        return combgpu__fail(o->ctx, COMBGPU_UNSUPPORTED,
                             "path is set, but this build (COMBGPU_NO_STDIO) has no files");
#endif
    return combgpu__check_run(o->ctx, &d->run);
}

/* Room on the way: the caller's memory, a chunk on the device, one on the host. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_rooms(combgpu__magic_output *o, uint64_t count)
{
    const combgpu_magic_list_desc *d = o->desc;
    combgpu_context *ctx = o->ctx;
    int cpu = ctx->backend->id == COMBGPU_BACKEND_CPU;
    size_t room = d->out ? d->out_bytes : d->device_out.bytes, bytes = (size_t)1 << 22;
    combgpu_status status;
    if ((d->out || d->device_out.memory) && count > room / o->cell_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is %llu; these %llu squares of %llu bytes need %llu",
                             d->out ? "out_bytes" : "device_out.bytes", (unsigned long long)room,
                             (unsigned long long)count, (unsigned long long)o->cell_bytes,
                             (unsigned long long)(count * o->cell_bytes));
    if (d->device_out.memory) {
        status = combgpu__device_adopt(ctx, "device_out", &d->device_out, &o->device, &o->shift);
        o->chunk_squares = (size_t)count;
        if (status || !cpu) return status;
        o->chunk = (unsigned char *)o->device.handle + o->shift;
        o->device.handle = NULL;
        return COMBGPU_OK;
    }
    if (cpu && d->out) bytes = SIZE_MAX;
    if (!cpu) bytes = ctx->free_bytes / 8 < (1u << 28) ? (size_t)(ctx->free_bytes / 8) : 1u << 28;
    o->chunk_squares = bytes / o->cell_bytes;
    if (o->chunk_squares > count) o->chunk_squares = (size_t)count;
    if (!o->chunk_squares) o->chunk_squares = 1;
    bytes = o->chunk_squares * o->cell_bytes;
    if (!cpu && o->state.method == COMBGPU__MAGIC_JOIN) {
        status = ctx->backend->allocate(ctx, bytes, &o->device);
        if (status) return status;
        o->owns_device = 1;
    }
    if (d->out) return COMBGPU_OK;
    o->chunk = (unsigned char *)combgpu__allocate(ctx, bytes);
    if (!o->chunk) return combgpu__no_memory(ctx, bytes);
    if (!d->path || !d->text) return COMBGPU_OK;
    bytes = combgpu__bytes(o->chunk_squares, 3 * o->cell_bytes + 1);
    o->text = (char *)combgpu__allocate(ctx, bytes);
    return o->text ? COMBGPU_OK : combgpu__no_memory(ctx, bytes);
}

/* The part of a call that may fail half way. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_output_run(combgpu__magic_output *o)
{
    const combgpu_magic_list_desc *d = o->desc;
    uint64_t first = d->first, count,
             shards = d->run.shard_count > 1 ? (uint64_t)d->run.shard_count : 1;
    uint64_t shard = (uint64_t)d->run.shard_index, begin;
    combgpu_status status;
    if (o->state.method == COMBGPU__MAGIC_JOIN) {
        status = combgpu__magic_index(o);
        if (!status) status = combgpu__magic_offsets(o);
    } else
        status = combgpu__magic_find_all(o);
    if (status) return status;
    if (first > o->result->total)
        return combgpu__fail(o->ctx, COMBGPU_INVALID_ARGUMENT,
                             "first is %llu; the list has %llu squares, from 0 on",
                             (unsigned long long)first, (unsigned long long)o->result->total);
    count = o->result->total - first;
    if (d->count && d->count < count) count = d->count;
    begin = count / shards * shard + count % shards * shard / shards;
    count = count / shards * (shard + 1) + count % shards * (shard + 1) / shards - begin;
    status = combgpu__magic_rooms(o, count);
    if (status) return status;
#ifndef COMBGPU_NO_STDIO
    if (d->path) {
        o->file = fopen(d->path, "wb");
        if (!o->file)
            return combgpu__fail(o->ctx, COMBGPU_FILE_ERROR, "%s cannot be opened: %s", d->path,
                                 strerror(errno));
    }
#endif
    return combgpu__magic_chunks(o, first + begin, count);
}

COMBGPU__DEF combgpu_status combgpu_magic_list(combgpu_context *ctx,
                                               const combgpu_magic_list_desc *desc,
                                               combgpu_magic_list_result *result)
{
    combgpu__magic_output o;
    combgpu_magic_list_result unused;
    combgpu_magic_desc magic;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc is NULL");
    if (!ctx->backend)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the context is not open: combgpu_open failed");
    memset(&o, 0, sizeof o);
    memset(&magic, 0, sizeof magic);
    memset(&unused, 0, sizeof unused);
    o.ctx = ctx;
    o.desc = desc;
    o.result = result ? result : &unused;
    o.began = combgpu__now();
    magic.order = desc->order;
    magic.kind = desc->kind;
    magic.givens = desc->givens;
    magic.frenicle = desc->frenicle;
    status = combgpu__magic_validate(ctx, &magic, &o.state);
    o.cell_bytes = (size_t)o.state.cells;
    if (!status) status = combgpu__magic_places(&o);
    if (!status) status = combgpu__magic_output_run(&o);
#ifndef COMBGPU_NO_STDIO
    if (o.file && fclose(o.file) && status >= 0)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be written: %s", desc->path,
                               strerror(errno));
#endif
    if (o.owns_device) ctx->backend->release(ctx, &o.device);
    if (!desc->device_out.memory) combgpu__release(ctx, o.chunk);
    combgpu__release(ctx, o.text);
    combgpu__release(ctx, o.found);
    combgpu__release(ctx, o.counts);
    combgpu__release(ctx, o.offsets);
    o.result->run.status = status < 0 ? COMBGPU_STOPPED : status;
    o.result->run.backend = ctx->backend->id;
    snprintf(o.result->run.device, sizeof o.result->run.device, "%s", ctx->device.name);
    o.result->run.seconds = combgpu__now() - o.began;
    return status;
}

/* ---- helpers */

/* Checks order and pointers of a helper; square = out: it has only the latter. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_order(combgpu_context *ctx, int order,
                                                           int least, int most, const void *square,
                                                           const void *out, const char *out_name)
{
    if (order < least || order > most)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "order is %d; it may be %d to %d",
                             order, least, most);
    if (!square || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL",
                             square || square == out ? out_name : "square");
    return COMBGPU_OK;
}

/* Sets wrong_cell, repeats and is_permutation. */
COMBGPU__PRIVATE void combgpu__magic_check_cells(int n, const int *square,
                                                 combgpu_magic_report *report)
{
    uint16_t seen[64 * 64]; /* 1 + the cell of a number */
    int i, bad = 0;
    memset(seen, 0, sizeof seen);
    report->wrong_cell = report->repeats = -1;
    for (i = 0; i < n * n && !bad; i++) {
        int outside = square[i] < 1 || square[i] > n * n;
        bad = outside || seen[square[i] - 1];
        if (bad) {
            report->wrong_cell = i;
            report->repeats = outside ? -1 : seen[square[i] - 1] - 1;
        } else
            seen[square[i] - 1] = (uint16_t)(i + 1);
    }
    report->is_permutation = !bad;
    if (report->repeats >= 0)
        snprintf(report->wrong, sizeof report->wrong,
                 "row %d, column %d and row %d, column %d are both %d", report->repeats / n,
                 report->repeats % n, report->wrong_cell / n, report->wrong_cell % n,
                 square[report->wrong_cell]);
    else if (bad)
        snprintf(report->wrong, sizeof report->wrong, "row %d, column %d is %d, not 1 to %d",
                 report->wrong_cell / n, report->wrong_cell % n, square[report->wrong_cell], n * n);
}

/* Looks at a row, column or diagonal: counts it if its sum is wrong. */
COMBGPU__PRIVATE void combgpu__magic_check_line(combgpu_magic_report *report, const char *name,
                                                int number, int64_t sum)
{
    if (sum == report->magic_sum) return;
    report->wrong_lines++;
    if (!report->wrong[0])
        snprintf(report->wrong, sizeof report->wrong, "%s %d adds up to %lld and must to %lld",
                 name, number, (long long)sum, (long long)report->magic_sum);
}

/* Do the squares of the numbers add up to the same in all rows, columns and diagonals? */
COMBGPU__PRIVATE int combgpu__magic_check_squares(int n, const int *square)
{
    int64_t m = n, want = m * (m * m + 1) * (2 * m * m + 1) / 6, sums[4], x;
    int i, k, right = 1;
    for (k = 0; k < n && right; k++) {
        memset(sums, 0, sizeof sums);
        for (i = 0; i < n; i++) {
            x = square[k * n + i], sums[0] += x * x;
            x = square[i * n + k], sums[1] += x * x;
            x = square[i * n + i], sums[2] += x * x;
            x = square[i * n + n - 1 - i], sums[3] += x * x;
        }
        for (i = 0; i < 4; i++)
            right = right && sums[i] == want;
    }
    return right;
}

COMBGPU__DEF combgpu_status combgpu_magic_check(combgpu_context *ctx, int n, const int *square,
                                                combgpu_magic_report *report)
{
    combgpu_status status = combgpu__magic_check_order(ctx, n, 1, 64, square, report, "report");
    int sum, i, k, lines = 1, broken = 1, pairs = 1, last;
    if (status) return status;
    sum = n * (n * n + 1) / 2;
    last = n * n - 1;
    memset(report, 0, sizeof *report);
    report->magic_sum = sum;
    combgpu__magic_check_cells(n, square, report);
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) {
            report->rows[k] += square[k * n + i];
            report->columns[k] += square[i * n + k];
            report->broken[0][k] += square[i * n + combgpu__magic_diagonal(n, 0, k, i)];
            report->broken[1][k] += square[i * n + combgpu__magic_diagonal(n, 1, k, i)];
        }
        lines = lines && report->rows[k] == sum && report->columns[k] == sum;
        broken = broken && report->broken[0][k] == sum && report->broken[1][k] == sum;
    }
    for (i = 0; i <= last; i++)
        pairs = pairs && (int64_t)square[i] + square[last - i] == n * n + 1;
    report->diagonals[0] = report->broken[0][0];
    report->diagonals[1] = report->broken[1][n - 1];
    report->is_semimagic = report->is_permutation && lines;
    report->is_magic =
        report->is_semimagic && report->diagonals[0] == sum && report->diagonals[1] == sum;
    report->is_pandiagonal = report->is_magic && broken;
    report->is_associative = report->is_magic && pairs;
    report->is_ultramagic = report->is_pandiagonal && pairs;
    report->is_bimagic = report->is_magic && combgpu__magic_check_squares(n, square);
    for (k = 0; k < n; k++)
        combgpu__magic_check_line(report, "row", k, report->rows[k]);
    for (k = 0; k < n; k++)
        combgpu__magic_check_line(report, "column", k, report->columns[k]);
    for (k = 0; k < 2; k++)
        combgpu__magic_check_line(report, "diagonal", k, report->diagonals[k]);
    report->is_frenicle = n == 1 || (square[0] < square[n - 1] && square[0] < square[last] &&
                                     square[0] < square[last + 1 - n] && square[1] < square[n]);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_frenicle(combgpu_context *ctx, int order,
                                                   const int *square, int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 1, 10000, square, out, "out");
    if (status) return status;
    memmove(out, square, (size_t)order * (size_t)order * sizeof *out);
    combgpu__magic_to_frenicle(order, out);
    return COMBGPU_OK;
}

/* Where the Siamese method (S. de la Loubere 1693) puts the number after k: up and right, or down
   where that cell is taken. It begins in the middle of row 0. */
COMBGPU__PRIVATE void combgpu__magic_siamese(int n, int k, int *row, int *column)
{
    if (k % n == 0) {
        *row = (*row + 1) % n;
    } else {
        *row = (*row + n - 1) % n;
        *column = (*column + 1) % n;
    }
}

COMBGPU__DEF combgpu_status combgpu_magic_construct(combgpu_context *ctx, int order, int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 3, 10000, out, out, "out");
    size_t n = (size_t)order, i, j;
    int m = order % 2 ? order : order / 2, shift = order / 4, row = 0, column = m / 2, k;
    if (status) return status;
    if (order % 4 == 0) { /* count up; complement the diagonals of each 4 x 4 block */
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                int number = (int)(i * n + j) + 1;
                int turned = i % 4 == j % 4 || i % 4 + j % 4 == 3;
                out[i * n + j] = turned ? order * order + 1 - number : number;
            }
        return COMBGPU_OK;
    }
    for (k = 1; k <= m * m; combgpu__magic_siamese(m, k, &row, &column), k++) {
        size_t top = (size_t)row * n + (size_t)column, bottom = top + (size_t)m * n;
        int low = m * m, swap; /* R. Strachey 1918: four odd squares, then columns change places */
        if (order % 2) {
            out[top] = k;
            continue;
        }
        swap = row == m / 2 ? column >= 1 && column <= shift : column < shift;
        out[swap ? bottom : top] = k;
        out[swap ? top : bottom] = k + 3 * low;
        swap = column > m - shift;
        out[(swap ? bottom : top) + (size_t)m] = k + 2 * low;
        out[(swap ? top : bottom) + (size_t)m] = k + low;
    }
    return COMBGPU_OK;
}

/* (end of SECTION 20) */

/* ========================== SECTION 21: magic squares, normal forms, estimates and order 6 == */

/* ---- construction by kind, symmetries, normal forms */

COMBGPU__DEF combgpu_status combgpu_magic_construct_kind(combgpu_context *ctx, int order,
                                                         combgpu_magic_kind kind, int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 3, 10000, out, out, "out");
    int n = order, i, j, prime_to_6 = n % 2 && n % 3;
    int pandiagonal = kind == COMBGPU_MAGIC_PANDIAGONAL || kind == COMBGPU_MAGIC_ULTRAMAGIC;
    if (status) return status;
    if (kind != COMBGPU_MAGIC_NORMAL && kind != COMBGPU_MAGIC_SEMI &&
        kind != COMBGPU_MAGIC_ASSOCIATIVE && !pandiagonal)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "kind is %d; it may be 0 (normal), 1 (semi-magic), 2 (pandiagonal), 3 "
                             "(associative), 4 (ultramagic)",
                             (int)kind);
    if (kind == COMBGPU_MAGIC_NORMAL || kind == COMBGPU_MAGIC_SEMI ||
        (kind == COMBGPU_MAGIC_ASSOCIATIVE && n % 4 != 2))
        return combgpu_magic_construct(ctx, order, out);
    if (n % 4 == 2 || n == 3 || (n == 4 && kind == COMBGPU_MAGIC_ULTRAMAGIC))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "order is %d; there is no %s square of that order", n,
                             kind == COMBGPU_MAGIC_ASSOCIATIVE   ? "associative"
                             : kind == COMBGPU_MAGIC_PANDIAGONAL ? "pandiagonal"
                                                                 : "ultramagic");
    if (!prime_to_6 && (n % 4 || kind == COMBGPU_MAGIC_ULTRAMAGIC))
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "order is %d; this construction needs one prime to 6%s", n,
                             kind == COMBGPU_MAGIC_PANDIAGONAL ? ", or a multiple of 4" : "");
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            int high, low;
            if (prime_to_6) { /* 1, 2, 3 and 4 have inverses mod n; the centre gets the middle */
                high = (j + 2 * i + 1) % n;
                low = (j + 3 * i + 3 * (n - n / 2)) % n;
            } else { /* columns j and j + n/2 hold complements, and rows of other parity too */
                high = j < n / 2 ? j : n - 1 - (j - n / 2);
                low = i < n / 2 ? i : n - 1 - (i - n / 2);
                if (i % 2) high = n - 1 - high;
                if (j % 2) low = n - 1 - low;
            }
            out[(size_t)i * (size_t)n + (size_t)j] = n * high + low + 1;
        }
    return COMBGPU_OK;
}

/* As combgpu__magic_check_order, with `out` another array than `square`. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_check_image(combgpu_context *ctx, int order,
                                                           int most, const int *square,
                                                           const int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 1, most, square, out, "out");
    if (!status && square == out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "out is the same array as square; it must be another");
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_symmetry(combgpu_context *ctx, int order,
                                                   const int *square, int symmetry, int *out)
{
    combgpu_status status = combgpu__magic_check_image(ctx, order, 10000, square, out);
    size_t n = (size_t)order, i, j;
    if (status) return status;
    if (symmetry < 0 || symmetry > 7)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "symmetry is %d; it may be 0 to 7",
                             symmetry);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            out[i * n + j] = square[combgpu__magic_image(n, symmetry, i, j)];
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_m_count(combgpu_context *ctx, int order, uint64_t *count)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 1, 33, count, count, "count");
    int h;
    if (status) return status;
    for (*count = 1, h = 1; h <= order / 2; h++)
        *count *= 2 * (uint64_t)h;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_m_transform(combgpu_context *ctx, int order,
                                                      const int *square, uint64_t index, int *out)
{
    combgpu_status status = combgpu__magic_check_image(ctx, order, 33, square, out);
    size_t n = (size_t)order, p[33], free_rows[16], i, j, half = n / 2;
    uint64_t count = 1, rest = index;
    if (status) return status;
    status = combgpu_magic_m_count(ctx, order, &count);
    if (!status && index >= count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "index is %llu; with order %d it may be 0 to %llu",
                             (unsigned long long)index, order, (unsigned long long)(count - 1));
    for (i = 0; i < half; i++)
        free_rows[i] = i;
    p[half] = half; /* the middle of an odd order */
    for (i = 0; i < half; i++) {
        uint64_t choices = 2 * (uint64_t)(half - i), k = rest % choices;
        size_t row = free_rows[k / 2];
        rest /= choices;
        for (j = (size_t)(k / 2); j + 1 < half - i; j++)
            free_rows[j] = free_rows[j + 1];
        p[i] = k % 2 ? n - 1 - row : row;
        p[n - 1 - i] = n - 1 - p[i];
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            out[i * n + j] = square[p[i] * n + p[j]];
    return COMBGPU_OK;
}

/* The first image of image g of the square under the M-group whose corner is cell (first, first) of
   image g: its first row decides, and each choice in it is between different numbers. p and used
   have room for n + 1 rows. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_first_image(combgpu_context *ctx, size_t n,
                                                           const int *square, int g, size_t first,
                                                           size_t *p, unsigned char *used, int *out)
{
    size_t i, j, best = first;
    memset(used, 0, n);
    if (n % 2) used[n / 2] = 1;
    p[n / 2] = n / 2; /* the middle of an odd order */
    for (i = 0; i < n / 2; i++) {
        int least = 0, number;
        for (best = i ? n : first, j = 0; j < n && i; j++) {
            if (used[j]) continue;
            number = square[combgpu__magic_image(n, g, first, j)];
            if (best < n && number == least)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "square: %d stands twice in one row or column", number);
            if (best < n && number > least) continue;
            best = j;
            least = number;
        }
        p[i] = best;
        p[n - 1 - i] = n - 1 - best;
        used[best] = used[n - 1 - best] = 1;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            out[i * n + j] = square[combgpu__magic_image(n, g, p[i], p[j])];
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_magic_canonical(combgpu_context *ctx, int order,
                                                    const int *square, int *out)
{
    combgpu_status status = combgpu__magic_check_image(ctx, order, 10000, square, out);
    size_t n = (size_t)order, i, bytes = n * n * sizeof *out, corner = 0, *p;
    int *other, g, minimum = 0, twice = 0;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT; /* its memory is needed */
    if (status) return status;
    for (i = 0; i < 2 * n; i++) { /* the corner can be any cell of a diagonal but the centre */
        size_t cell = i < n ? i * n + i : (i - n) * n + (2 * n - 1 - i);
        if (n > 1 && 2 * (i % n) + 1 == n) continue;
        if (i && square[cell] == minimum && n > 1) twice = 1;
        if (i && square[cell] >= minimum) continue;
        minimum = square[cell];
        corner = i;
        twice = 0;
    }
    if (twice)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "square: %d stands twice on the diagonals", minimum);
    p = (size_t *)combgpu__allocate(ctx, (n + 1) * (sizeof *p + 1));
    other = (int *)combgpu__allocate(ctx, bytes);
    if (!p || !other) status = combgpu__no_memory(ctx, bytes);
    for (g = 0; g < 2 && !status;
         g++) { /* as it is and transposed; 4: seen from the other diagonal */
        status = combgpu__magic_first_image(ctx, n, square, g + (corner < n ? 0 : 4), corner % n, p,
                                            (unsigned char *)(p + n + 1), g ? other : out);
        for (i = 0; !status && g && i < n * n && other[i] == out[i]; i++) {
        }
        if (!status && g && i < n * n && other[i] < out[i]) memcpy(out, other, bytes);
    }
    combgpu__release(ctx, p);
    combgpu__release(ctx, other);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_dudeney(combgpu_context *ctx, const int *square,
                                                  int *type)
{
    static const char pictures[12][17] = {
        "abcdefghcdabghef", "abcdbadcefghfehg", "abcdefghhgfedcba", "aabbccddeeffgghh",
        "ababcdcdefefghgh", "abbacddceffeghhg", "aabbcddceffegghh", "abbaccddeeffghhg",
        "ababcddceffeghgh", "abbacdcdefefghhg", "ababcdcdefghghef", "aabbcdefgghhdcfe"};
    combgpu_magic_report report;
    combgpu_status status = combgpu__magic_check_order(ctx, 4, 4, 4, square, type, "type");
    int turned[16], k, g, i, j, fits;
    if (status) return status;
    memset(&report, 0, sizeof report);
    combgpu__magic_check_cells(4, square, &report);
    if (!report.is_permutation)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "square[%d] is %d; the square must hold 1 to 16 once each",
                             report.wrong_cell, square[report.wrong_cell]);
    for (g = 0, *type = 0; g < 8; g++) {
        combgpu_magic_symmetry(ctx, 4, square, g, turned);
        for (k = 0; k < 12; k++) {
            for (i = 0, fits = 1; i < 16; i++)
                for (j = 0; j < i; j++)
                    if (pictures[k][i] == pictures[k][j] && turned[i] + turned[j] != 17) fits = 0;
            if (fits) *type = k + 1;
        }
    }
    return COMBGPU_OK;
}

/* ---- estimates: what is fixed at random, and in what order

   Rows 0, 1, n-2, n-1 and, for the last of them, columns 0, 1, n-2, n-1 (and 2, n-3 from order 6 on;
   the middle one of order 5) cross in cells that stay free. All others are filled line by line: the
   diagonals, the rows between, the columns between. A line's last two cells take a pair of numbers
   that completes it; every other cell any number not yet used. Which one is chosen with a
   probability as if the numbers still to come on its open lines were normally distributed: each
   line with k - 1 more free cells wants its share near (what it needs) - (k - 1) (the mean of the
   unused numbers), with a variance that grows like k - 1. The product of these curves is one curve
   about their weighted mean; (1 - x^2 / (16 s^2))^8 stands for exp(-x^2 / (2 s^2)), with s a fifth
   wider than that and a floor of 1/64, so that nothing possible is improbable by more than a little.
   Measured for order 6: the variance of a sample is 31 squared means (115 when cells are chosen
   uniformly); all is integers, so that each backend chooses alike.

   The rest, for order 6 (T: filled before; a to d: four pairs of known sums, w to z: what rows leave):

       T a w w b T      rows 0, 5, columns 1, 4: a + a = what column 1 needs, b + b = column 4;
       c T y y T d      then two numbers w for row 0 and two for row 5
       T T T T T T      rows 1, 4, columns 0, 5: c, d, then y, in the 8 numbers left. Columns 2 and 3
       T T T T T T      hold together or not at all: 16 ways to swap w and y in their rows, counted
       c T y y T d      by differences.
       T a w w b T */

#define COMBGPU__MAGIC_SLOTS 25 /* 2n + 2 lines of order 11, and one that counts for nothing */
#define COMBGPU__MAGIC_CURVE_FLOOR 1024u
#define COMBGPU__MAGIC_MOST_SAMPLES (UINT64_C(1) << 40)

/* Words of `tables`. A line of the plan is a word (the slot of its own sum | single cells << 8 |
   pairs << 16, 0 or 1), then 6 words for each cell: for its four lines (the slot | k - 1 << 8 | the
   weight 4096 / (k - 1) << 16; weight 0 = no such line, or the line that the pair completes), the
   sum of the weights (in the first of a pair: of both) and how many numbers are unused. */
enum {
    COMBGPU__MAGIC_E_ORDER = 0,
    COMBGPU__MAGIC_E_NUMBERS = 1, /* n * n */
    COMBGPU__MAGIC_E_SUM = 2,
    COMBGPU__MAGIC_E_LINES = 3,
    COMBGPU__MAGIC_E_INNER = 4, /* from this line on a sample is repeated ... */
    COMBGPU__MAGIC_E_REPEATS = 5,
    COMBGPU__MAGIC_E_WIDTH = 6, /* middle columns of the rest: 0 to 2 */
    COMBGPU__MAGIC_E_CURVE = 7, /* (x / s)^2 / 16 in 1/2^40 for 16 x^2 = 1 and weight 1 */
    COMBGPU__MAGIC_E_SCALE = 8, /* samples are in units of 2^(scale - 65536) */
    COMBGPU__MAGIC_E_SEED = 9,  /* two words */
    COMBGPU__MAGIC_E_PLAN = 12,
    COMBGPU__MAGIC_E_WORDS = COMBGPU__MAGIC_E_PLAN + 32 + 6 * 121
};

/* Totals of slices: the sums of samples and of their squares in 32-bit digits. */
enum {
    COMBGPU__MAGIC_E_ADDED = 1,
    COMBGPU__MAGIC_E_SQUARES = 3,
    COMBGPU__MAGIC_E_HASH = 7,
    COMBGPU__MAGIC_E_TOO_LARGE = 8, /* samples that had no room: never but in a broken kernel */
    COMBGPU__MAGIC_E_PLANNED = COMBGPU__TOTALS /* samples in the frontier so far */
};

typedef struct combgpu__magic_estimate_state {
    combgpu__magic_range range; /* of all samples that there may be */
    combgpu_magic_estimate_desc desc;
    int scale, repeats;
    /* while the plan is made */
    unsigned char filled[11 * 11], open[COMBGPU__MAGIC_SLOTS];
    int unused;
    uint32_t words; /* of the tables */
} combgpu__magic_estimate_state;

COMBGPU__PRIVATE combgpu_status
combgpu__magic_estimate_validate(combgpu_context *ctx, const combgpu_magic_estimate_desc *desc,
                                 combgpu__magic_estimate_state *state)
{
    if (desc->order < 4)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "order is %d; it may be 4 to 11",
                             desc->order);
    if (desc->order > 11)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED, "order is %d; estimates may have 4 to 11",
                             desc->order);
    if (desc->kind != COMBGPU_MAGIC_NORMAL && desc->kind != COMBGPU_MAGIC_SEMI)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "kind is %d; estimates may have 0 (normal) or 1 (semi-magic)",
                             (int)desc->kind);
    if (desc->samples > COMBGPU__MAGIC_MOST_SAMPLES)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "samples is %llu; it may be 0 (default) to 2^40",
                             (unsigned long long)desc->samples);
    if (!(desc->relative_error >= 0 && desc->relative_error < 1))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "relative_error is %g; it may be 0 (none) or more, below 1",
                             desc->relative_error);
    if (desc->relative_error > 0 && desc->run.shard_count > 1)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "relative_error is %g with run.shard_count %d; shards do not know each "
            "other's error: give samples",
            desc->relative_error, desc->run.shard_count);
    state->desc = *desc;
    state->range.end = desc->samples              ? desc->samples
                       : desc->relative_error > 0 ? COMBGPU__MAGIC_MOST_SAMPLES
                                                  : 1000000;
    return COMBGPU_OK;
}

/* ---- estimates: plan and tables */

/* Writes the six words of a cell that is filled next; `closes`: the slot of the line that its pair
   completes, or -1. */
COMBGPU__PRIVATE void combgpu__magic_plan_cell(combgpu_job *job, int row, int column, int closes)
{
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)job->state;
    int n = state->desc.order, normal = state->desc.kind == COMBGPU_MAGIC_NORMAL, slots[4], i;
    uint32_t *words = job->tables + state->words, weights = 0;
    slots[0] = row;
    slots[1] = n + column;
    slots[2] = normal && row == column ? 2 * n : 2 * n + 2;
    slots[3] = normal && row + column == n - 1 ? 2 * n + 1 : 2 * n + 2;
    for (i = 0; i < 4; i++) {
        uint32_t more = slots[i] < 2 * n + 2 ? --state->open[slots[i]] : 0u;
        uint32_t weight = more && slots[i] != closes ? 4096 / more : 0;
        words[i] = (uint32_t)slots[i] | (weight ? more : 0) << 8 | weight << 16;
        weights += weight;
    }
    words[4] = weights;
    words[5] = (uint32_t)state->unused--;
    state->filled[row * n + column] = 1;
    state->words += 6;
}

/* Adds the cells of a line that are not yet filled: cell i has row a[0] + i * a[1] and column a[2] + i
   * a[3]. The columns between have free cells only where rows 0, 1, n-2 and n-1 cross them. */
COMBGPU__PRIVATE void combgpu__magic_plan_line(combgpu_job *job, int slot, int row, int down,
                                               int column, int right)
{
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)job->state;
    int n = state->desc.order, i, left = 0;
    uint32_t head = state->words++, first;
    for (i = 0; i < n; i++)
        left += !state->filled[(row + i * down) * n + column + i * right];
    job->tables[head] = (uint32_t)slot | (uint32_t)(left - 2) << 8 | 1u << 16;
    for (i = 0; i < n; i++) {
        int r = row + i * down, c = column + i * right;
        if (state->filled[r * n + c]) continue;
        first = state->words;
        combgpu__magic_plan_cell(job, r, c, left-- <= 2 ? slot : -1);
        if (!left) job->tables[first - 2] += job->tables[first + 4]; /* weights of both */
    }
    job->tables[COMBGPU__MAGIC_E_LINES]++;
}

/* The binary exponent of the number of squares if sums of n of the numbers were normally distributed
   and all lines but those that follow from others independent: within a factor of 2 of the truth. */
COMBGPU__PRIVATE int combgpu__magic_expected(int n, int normal)
{
    double variance = (double)n * (n * n + 1) * (n * n - n) / 12; /* of n of the n * n numbers */
    double chance = 1 / combgpu__sqrt(6.28318530717958647692 * variance), product = 1;
    int exponent = 0, sum = 0, k;
    for (k = 2; k <= n * n; k++) {
        product = frexp(product * k, &exponent);
        sum += exponent;
    }
    for (k = 0; k < 2 * n - 2 + 2 * normal; k++) {
        product = frexp(product * chance, &exponent);
        sum += exponent;
    }
    return sum;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_tables(combgpu_job *job)
{
    combgpu__magic_estimate_state *state = (combgpu__magic_estimate_state *)job->state;
    int n = state->desc.order, normal = state->desc.kind == COMBGPU_MAGIC_NORMAL, i;
    combgpu_status status = combgpu__job_tables(job, COMBGPU__MAGIC_E_WORDS);
    uint32_t *tables = job->tables, inner;
    if (status) return status;
    /* repeats from the last lines on pay where what is before costs more than the rest */
    state->repeats = n < 6 ? 1 : n == 6 ? 4 : 8;
    state->scale = combgpu__magic_expected(n, normal) - 24;
    tables[COMBGPU__MAGIC_E_ORDER] = (uint32_t)n;
    tables[COMBGPU__MAGIC_E_NUMBERS] = (uint32_t)(n * n);
    tables[COMBGPU__MAGIC_E_SUM] = (uint32_t)(n * (n * n + 1) / 2);
    tables[COMBGPU__MAGIC_E_WIDTH] = n < 6 ? (uint32_t)(n - 4) : 2;
    tables[COMBGPU__MAGIC_E_REPEATS] = (uint32_t)state->repeats;
    /* 2^40 over 16 * 4096 (units of x and of weights) * 16 * 1.44 * the variance of a number */
    tables[COMBGPU__MAGIC_E_CURVE] =
        (uint32_t)((UINT64_C(1) << 40) / (UINT64_C(125829) * (uint32_t)(n * n * n * n - 1)));
    tables[COMBGPU__MAGIC_E_SCALE] = (uint32_t)(state->scale + 65536);
    combgpu__put64(tables + COMBGPU__MAGIC_E_SEED, state->desc.seed);
    state->words = COMBGPU__MAGIC_E_PLAN;
    state->unused = n * n;
    memset(state->filled, 0, sizeof state->filled);
    memset(state->open, n, sizeof state->open);
    if (normal) {
        combgpu__magic_plan_line(job, 2 * n, 0, 1, 0, 1);
        combgpu__magic_plan_line(job, 2 * n + 1, 0, 1, n - 1, -1);
    } else { /* their cells in the outer rows, since the rest leaves them out */
        tables[state->words++] = (uint32_t)(2 * n + 2) | 8u << 8;
        for (i = 0; i < 8; i++) {
            int row = i < 4 ? i / 2 : n - 4 + i / 2;
            combgpu__magic_plan_cell(job, row, i % 2 ? n - 1 - row : row, -1);
        }
        tables[COMBGPU__MAGIC_E_LINES]++;
    }
    for (i = 2; i < n - 2; i++)
        combgpu__magic_plan_line(job, i, i, 0, 0, 1);
    inner = tables[COMBGPU__MAGIC_E_LINES];
    for (i = 3; i < n - 3; i++)
        combgpu__magic_plan_line(job, n + i, 0, 1, i, 0);
    tables[COMBGPU__MAGIC_E_INNER] = inner;
    if (n == 6) tables[COMBGPU__MAGIC_E_INNER] = inner - 2; /* rows 2 and 3 */
    job->tables_bytes = state->words * sizeof(uint32_t);
    return COMBGPU_OK;
}

/* ---- estimates: C solver. Numbers as sets: bit v of 128 for number v */

typedef struct combgpu__magic_numbers {
    uint64_t lo, hi;
} combgpu__magic_numbers;

/* mantissa * 2^exponent, cut to 40 bits after each step */
typedef struct combgpu__magic_product {
    uint64_t mantissa;
    int exponent;
} combgpu__magic_product;

typedef struct combgpu__magic_draw {
    combgpu__magic_numbers unused;
    int total; /* of the unused numbers */
    int need[COMBGPU__MAGIC_SLOTS];
    combgpu__magic_product chosen, choices; /* probability = chosen / choices */
} combgpu__magic_draw;

/* Two numbers by their places among those that are left. */
typedef struct combgpu__magic_two {
    uint16_t places;
    unsigned char low, high;
} combgpu__magic_two;

/* The rest. Half 0 is rows 0 and n-1 with columns 1 and n-2, half 1 rows 1 and n-2 with columns 0
   and n-1. */
typedef struct combgpu__magic_rest_cells {
    int width, most;             /* most: the largest sum of two numbers */
    int column[2][2], row[2][2]; /* what they need */
    int difference;              /* what columns 2 and n-3 need */
    int pair_sums[2];            /* of half 0: |difference| that its two rows make */
    uint32_t place[122];         /* width 1: the bit of a number that is left, else 0 */
    unsigned char count[243];    /* of pairs, by sum */
    combgpu__magic_two pairs[243][8];
} combgpu__magic_rest_cells;

COMBGPU__PRIVATE uint64_t combgpu__magic_rest_half(combgpu__magic_rest_cells *rest, uint32_t left,
                                                   int half);

/* The ways that two pairs of numbers, by their differences, make columns 2 and n-3 hold. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_swaps(const combgpu__magic_rest_cells *rest, int a,
                                                    int b)
{
    uint64_t ways = 0;
    int i, k;
    for (i = 0; i < 4; i++)
        for (k = 0; k < 4; k++) {
            int first = rest->pair_sums[i / 2], second = k / 2 ? a + b : a - b;
            ways += (i % 2 ? first : -first) + (k % 2 ? second : -second) == rest->difference;
        }
    return ways;
}

/* The middle cells of a half's two rows, which need `first` and `second`. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_rows(combgpu__magic_rest_cells *rest, uint32_t left,
                                                   int half, int first, int second)
{
    uint64_t ways = 0;
    int i, k;
    if (first < 0 || second < 0 || first > rest->most || second > rest->most) return 0;
    if (rest->width == 0) {
        if (first || second) return 0;
        return half ? 1 : combgpu__magic_rest_half(rest, left, 1);
    }
    if (rest->width == 1) { /* then the middle column holds */
        uint32_t places;
        if (first > 121 || second > 121 || first == second) return 0;
        places = rest->place[first] | rest->place[second];
        if (!(rest->place[first] & left) || !(rest->place[second] & left)) return 0;
        return half ? 1 : combgpu__magic_rest_half(rest, left & ~places, 1);
    }
    for (i = 0; i < rest->count[first]; i++) {
        const combgpu__magic_two *a = &rest->pairs[first][i];
        if (a->places & ~left) continue;
        for (k = 0; k < rest->count[second]; k++) {
            const combgpu__magic_two *b = &rest->pairs[second][k];
            int da = a->high - a->low, db = b->high - b->low;
            if (b->places & ~(left & ~(uint32_t)a->places)) continue;
            if (half) {
                ways += combgpu__magic_rest_swaps(rest, da, db);
                continue;
            }
            rest->pair_sums[0] = da + db;
            rest->pair_sums[1] = da - db;
            ways += combgpu__magic_rest_half(rest, left & ~(uint32_t)(a->places | b->places), 1);
        }
    }
    return ways;
}

/* The ways to fill a half, and what is after it. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_half(combgpu__magic_rest_cells *rest, uint32_t left,
                                                   int half)
{
    const int *column = rest->column[half], *row = rest->row[half];
    uint64_t ways = 0;
    int i, k, turn;
    for (i = 0; i < rest->count[column[0]]; i++) {
        const combgpu__magic_two *a = &rest->pairs[column[0]][i];
        if (a->places & ~left) continue;
        for (k = 0; k < rest->count[column[1]]; k++) {
            const combgpu__magic_two *b = &rest->pairs[column[1]][k];
            uint32_t others = left & ~(uint32_t)a->places;
            if (b->places & ~others) continue;
            others &= ~(uint32_t)b->places;
            for (turn = 0; turn < 4; turn++) { /* which of a pair is in the upper row */
                int x = turn & 1 ? a->high : a->low, y = turn & 2 ? b->high : b->low;
                ways += combgpu__magic_rest_rows(rest, others, half, row[0] - x - y,
                                                 row[1] - (column[0] - x) - (column[1] - y));
            }
        }
    }
    return ways;
}

/* Lists the pairs of the numbers that are left, and the sums that the rest needs. */
COMBGPU__PRIVATE uint64_t combgpu__magic_rest_ways(combgpu__magic_rest_cells *rest, int n,
                                                   int width, combgpu__magic_numbers left,
                                                   const int *need)
{
    unsigned char numbers[16];
    int count = 0, i, k;
    const int *columns = need + n;
    uint64_t set = left.lo, high = left.hi;
    rest->width = width;
    rest->most = 2 * n * n;
    rest->row[0][0] = need[0], rest->row[0][1] = need[n - 1];
    rest->row[1][0] = need[1], rest->row[1][1] = need[n - 2];
    rest->column[0][0] = columns[1], rest->column[0][1] = columns[n - 2];
    rest->column[1][0] = columns[0], rest->column[1][1] = columns[n - 1];
    rest->difference = columns[2] - columns[n - 3];
    for (i = 0; i < 4; i++)
        if (rest->column[i / 2][i % 2] < 0 || rest->column[i / 2][i % 2] > rest->most) return 0;
    for (; left.lo; left.lo &= left.lo - 1)
        numbers[count++] = (unsigned char)combgpu__lowest_bit64(left.lo);
    for (; left.hi; left.hi &= left.hi - 1)
        numbers[count++] = (unsigned char)(64 + combgpu__lowest_bit64(left.hi));
    if (!high) { /* a quick look: does every column have a pair? */
        uint64_t mirror = 0;
        for (i = 0; i < count; i++)
            mirror |= UINT64_C(1) << (63 - numbers[i]); /* sum - v: bit 63 - sum + v */
        for (i = 0; i < 4; i++) {
            int sum = rest->column[i / 2][i % 2];
            uint64_t pairs;
            if (sum > 125) return 0;
            pairs = sum > 63 ? mirror << (sum - 63) : mirror >> (63 - sum);
            if (sum % 2 == 0) pairs &= ~(UINT64_C(1) << sum / 2);
            if (!(pairs & set)) return 0;
        }
    }
    memset(rest->count, 0, (size_t)rest->most + 1);
    if (width == 1) memset(rest->place, 0, sizeof rest->place);
    for (i = 0; i < count; i++) {
        rest->place[numbers[i]] = 1u << i;
        for (k = 0; k < i; k++) {
            int sum = numbers[i] + numbers[k];
            combgpu__magic_two *two = &rest->pairs[sum][rest->count[sum]++];
            two->places = (uint16_t)(1u << i | 1u << k);
            two->low = numbers[k];
            two->high = numbers[i];
        }
    }
    return combgpu__magic_rest_half(rest, (1u << count) - 1, 0);
}

COMBGPU__PRIVATE void combgpu__magic_multiply(combgpu__magic_product *product, uint32_t factor)
{
    product->mantissa *= factor; /* below 2^40 and 2^24 */
    while (product->mantissa >> 48)
        product->mantissa >>= 8, product->exponent += 8;
    while (product->mantissa >> 40)
        product->mantissa >>= 1, product->exponent++;
}

/* The `draws`-th random number of a sample, 64 bits. */
COMBGPU__PRIVATE uint64_t combgpu__magic_random(uint64_t key, uint32_t draws)
{
    return combgpu__mix(key + draws * UINT64_C(0x9e3779b97f4a7c15));
}

/* Numbers in `from` for which sum - v is unused too, and another. */
COMBGPU__PRIVATE combgpu__magic_numbers combgpu__magic_halves(combgpu__magic_numbers from, int sum,
                                                              int most)
{
    combgpu__magic_numbers found = {0, 0};
    int v, low = sum > most ? sum - most : 1;
    for (v = low; 2 * v < sum; v++) {
        int w = sum - v;
        uint64_t a = v < 64 ? from.lo >> v : from.hi >> (v - 64);
        uint64_t b = w < 64 ? from.lo >> w : from.hi >> (w - 64);
        if (!(a & b & 1)) continue;
        *(v < 64 ? &found.lo : &found.hi) |= UINT64_C(1) << v % 64;
        *(w < 64 ? &found.lo : &found.hi) |= UINT64_C(1) << w % 64;
    }
    return found;
}

/* One of the numbers, about centre / 4: likelier the nearer. */
COMBGPU__PRIVATE int combgpu__magic_choose(combgpu__magic_draw *draw, combgpu__magic_numbers from,
                                           int centre, uint32_t slope, uint64_t random)
{
    uint32_t curve[128], all = 0, q;
    unsigned char number[128];
    int count = 0, at, word, distance;
    for (word = 0; word < 2; word++) {
        uint64_t bits = word ? from.hi : from.lo;
        for (; bits; bits &= bits - 1) {
            int v = 64 * word + combgpu__lowest_bit64(bits);
            uint64_t part;
            distance = 4 * v - centre;
            part = ((uint64_t)((uint32_t)(distance * distance)) * slope) >> 24;
            q = part < 65535 ? 65535 - (uint32_t)part : 0;
            q = (q * q) >> 16;
            q = (q * q) >> 16;
            q = ((q * q) >> 16) + COMBGPU__MAGIC_CURVE_FLOOR;
            number[count] = (unsigned char)v;
            curve[count++] = q;
            all += q;
        }
    }
    q = (uint32_t)(((random >> 24) * all) >> 40);
    for (at = 0; q >= curve[at]; at++)
        q -= curve[at];
    combgpu__magic_multiply(&draw->chosen, curve[at]);
    combgpu__magic_multiply(&draw->choices, all);
    return number[at];
}

/* Adds a cell's lines to the sum of what they wish the number to be, 4 times, times their weight. */
COMBGPU__PRIVATE int combgpu__magic_wishes(const combgpu__magic_draw *draw, const uint32_t *cell,
                                           int mean, int turned_from)
{
    int sum = 0, i;
    for (i = 0; i < 4; i++) {
        int weight = (int)(cell[i] >> 16), more = (int)(cell[i] >> 8 & 255);
        int wish = 4 * draw->need[cell[i] & 255] - more * mean;
        sum += weight * (turned_from ? 4 * turned_from - wish : wish);
    }
    return sum;
}

COMBGPU__PRIVATE void combgpu__magic_put(combgpu__magic_draw *draw, const uint32_t *cell,
                                         int number)
{
    int i;
    for (i = 0; i < 4; i++)
        draw->need[cell[i] & 255] -= number;
    draw->total -= number;
    if (number < 64)
        draw->unused.lo &= ~(UINT64_C(1) << number);
    else
        draw->unused.hi &= ~(UINT64_C(1) << (number - 64));
}

/* Fills a line of the plan; 0 if no pair completes it. *words moves behind the line. */
COMBGPU__PRIVATE int combgpu__magic_fill_line(combgpu__magic_draw *draw, const uint32_t *tables,
                                              uint32_t *words, uint64_t key, uint32_t *draws)
{
    const uint32_t *cell = tables + *words + 1;
    uint32_t head = tables[*words], singles = head >> 8 & 255;
    uint32_t unit = tables[COMBGPU__MAGIC_E_CURVE];
    int sum, number, mean;
    *words += 1 + 6 * singles + 12 * (head >> 16);
    for (; singles; singles--, cell += 6) {
        mean = 4 * draw->total / (int)cell[5];
        number = combgpu__magic_choose(draw, draw->unused,
                                       combgpu__magic_wishes(draw, cell, mean, 0) / (int)cell[4],
                                       cell[4] * unit, combgpu__magic_random(key, ++*draws));
        combgpu__magic_put(draw, cell, number);
    }
    if (head >> 16) {
        combgpu__magic_numbers from;
        sum = draw->need[head & 255];
        from = combgpu__magic_halves(draw->unused, sum, (int)tables[COMBGPU__MAGIC_E_NUMBERS]);
        if (!(from.lo | from.hi)) return 0;
        mean = 4 * draw->total / (int)cell[5];
        number = combgpu__magic_choose(draw, from,
                                       (combgpu__magic_wishes(draw, cell, mean, 0) +
                                        combgpu__magic_wishes(draw, cell + 6, mean, sum)) /
                                           (int)cell[4],
                                       cell[4] * unit, combgpu__magic_random(key, ++*draws));
        combgpu__magic_put(draw, cell, number);
        combgpu__magic_put(draw, cell + 6, sum - number);
    }
    return 1;
}

/* ways / probability in units of 2^scale, rounded; UINT64_MAX if that is too large. */
COMBGPU__PRIVATE uint64_t combgpu__magic_weigh(const combgpu__magic_draw *draw, uint64_t ways,
                                               int scale)
{
    combgpu__magic_product up = draw->choices, down = draw->chosen;
    uint64_t value;
    int shift;
    if (!ways) return 0;
    for (; !(up.mantissa >> 39); up.exponent--)
        up.mantissa <<= 1;
    for (; !(down.mantissa >> 39); down.exponent--)
        down.mantissa <<= 1;
    value = (up.mantissa << 24) / (down.mantissa >> 8) * ways; /* 2^31 to 2^33 times ways */
    shift = scale + 32 + down.exponent - up.exponent;
    if (shift > 63) return 0;
    if (shift > 0) return (value >> (shift - 1) & 1) + (value >> shift);
    if (shift < -30 || value >> (63 + shift)) return UINT64_MAX;
    return value << -shift;
}

/* Sample `index`: the sum of its repeats. */
COMBGPU__PRIVATE uint64_t combgpu__magic_sample(const uint32_t *tables,
                                                combgpu__magic_rest_cells *rest, uint64_t index)
{
    uint64_t seed = combgpu__get64(tables + COMBGPU__MAGIC_E_SEED), sum = 0;
    uint64_t key = combgpu__mix(seed + combgpu__mix(index));
    uint32_t draws = 0, lines = tables[COMBGPU__MAGIC_E_LINES], words = COMBGPU__MAGIC_E_PLAN;
    uint32_t repeats = tables[COMBGPU__MAGIC_E_REPEATS], inner = tables[COMBGPU__MAGIC_E_INNER];
    int n = (int)tables[COMBGPU__MAGIC_E_ORDER], numbers = n * n, i;
    int scale = (int)tables[COMBGPU__MAGIC_E_SCALE] - 65536;
    combgpu__magic_draw draw, outer;
    uint32_t line, at;
    draw.total = numbers * (numbers + 1) / 2;
    draw.unused.lo = numbers < 64 ? (UINT64_C(2) << numbers) - 2 : ~UINT64_C(1);
    draw.unused.hi = numbers < 64 ? 0 : (UINT64_C(2) << (numbers - 64)) - 1;
    draw.chosen.mantissa = draw.choices.mantissa = 1;
    draw.chosen.exponent = draw.choices.exponent = 0;
    for (i = 0; i < COMBGPU__MAGIC_SLOTS; i++)
        draw.need[i] = (int)tables[COMBGPU__MAGIC_E_SUM];
    for (line = 0; line < inner; line++)
        if (!combgpu__magic_fill_line(&draw, tables, &words, key, &draws)) return 0;
    for (outer = draw; repeats; repeats--, draw = outer) {
        for (line = inner, at = words; line < lines; line++)
            if (!combgpu__magic_fill_line(&draw, tables, &at, key, &draws)) break;
        if (line == lines) {
            uint64_t value = combgpu__magic_weigh(
                &draw,
                combgpu__magic_rest_ways(rest, n, (int)tables[COMBGPU__MAGIC_E_WIDTH], draw.unused,
                                         draw.need),
                scale);
            sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
        }
    }
    return sum;
}

COMBGPU__PRIVATE int combgpu__magic_estimate_step(combgpu__worker *worker, void *memory,
                                                  uint64_t index)
{
    uint64_t value =
        combgpu__magic_sample(worker->tables, (combgpu__magic_rest_cells *)memory, index);
    uint64_t low = value & UINT32_MAX, high = value >> 32, middle = 2 * low * high;
    uint64_t *totals = worker->totals;
    totals[COMBGPU__MAGIC_E_HASH] += combgpu__mix(combgpu__mix(index) ^ value);
    totals[COMBGPU__MAGIC_E_TOO_LARGE] += value >> 60 != 0;
    if (!value || value >> 60) return 1; /* below 2^60, so that `middle` has room */
    totals[COMBGPU__MAGIC_E_ADDED] += low;
    totals[COMBGPU__MAGIC_E_ADDED + 1] += high;
    totals[COMBGPU__MAGIC_E_SQUARES] += low * low & UINT32_MAX;
    totals[COMBGPU__MAGIC_E_SQUARES + 1] += (low * low >> 32) + (middle & UINT32_MAX);
    totals[COMBGPU__MAGIC_E_SQUARES + 2] += (middle >> 32) + (high * high & UINT32_MAX);
    totals[COMBGPU__MAGIC_E_SQUARES + 3] += high * high >> 32;
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_estimate_solve(combgpu__worker *worker)
{
    combgpu__magic_rest_cells rest;
    combgpu__magic_range_solve(worker, &rest, combgpu__magic_estimate_step);
}

/* ---- estimates: frontier, slice_done, end */

/* Samples from `begin` on, in pieces that depend on their number alone. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_push(combgpu_job *job, uint64_t begin,
                                                             uint64_t end)
{
    uint64_t pieces = (end - begin + 15) / 16;
    job->sums[COMBGPU__MAGIC_E_PLANNED] = end;
    return combgpu__push_range(job, begin, end, pieces < 1 << 18 ? pieces : 1 << 18);
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_frontier(combgpu_job *job)
{
    const combgpu__magic_estimate_state *state = (const combgpu__magic_estimate_state *)job->state;
    uint64_t first = state->range.end;
    if (state->desc.relative_error > 0 && first > 1 << 16) first = 1 << 16;
    return combgpu__magic_estimate_push(job, 0, first);
}

/* A sum of 32-bit digits, times 2^exponent. */
COMBGPU__PRIVATE double combgpu__magic_digits(const uint64_t *digits, int count, int exponent)
{
    double sum = 0;
    int i;
    for (i = count - 1; i >= 0; i--)
        sum += ldexp((double)digits[i], 32 * i + exponent);
    return sum;
}

/* Mean and its standard error, in squares. */
COMBGPU__PRIVATE void combgpu__magic_mean(const combgpu_job *job, double *mean, double *error)
{
    const combgpu__magic_estimate_state *state = (const combgpu__magic_estimate_state *)job->state;
    double samples = (double)job->sums[0], squares, sum;
    *mean = *error = 0;
    if (!job->sums[0]) return;
    sum = combgpu__magic_digits(job->sums + COMBGPU__MAGIC_E_ADDED, 2, 0) / samples;
    squares = combgpu__magic_digits(job->sums + COMBGPU__MAGIC_E_SQUARES, 4, 0) / samples;
    *mean = ldexp(sum, state->scale) / state->repeats;
    if (samples > 1 && squares > sum * sum)
        *error = ldexp(combgpu__sqrt((squares - sum * sum) / (samples - 1)), state->scale) /
                 state->repeats;
}

/* With relative_error: when all is done that was planned, a quarter to a seventh more samples, if
   they are needed. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_slice_done(combgpu_job *job,
                                                                   const combgpu__share *share)
{
    const combgpu__magic_estimate_state *state = (const combgpu__magic_estimate_state *)job->state;
    uint64_t planned = job->sums[COMBGPU__MAGIC_E_PLANNED], more = 1;
    double mean, error;
    (void)share;
    if (job->sums[COMBGPU__MAGIC_E_TOO_LARGE])
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel combgpu_magic_samples: a sample is 2^36 times larger than "
                             "expected");
    if (combgpu__tasks_left(job) || planned >= state->range.end) return COMBGPU_OK;
    combgpu__magic_mean(job, &mean, &error);
    if (error > 0 && error <= state->desc.relative_error * mean) return COMBGPU_OK;
    while (planned >> 3 >= more)
        more *= 2;
    return combgpu__magic_estimate_push(
        job, planned, more > state->range.end - planned ? state->range.end : planned + more);
}

COMBGPU__PRIVATE double combgpu__magic_estimate_fraction(const combgpu_job *job)
{
    const combgpu__magic_estimate_state *state = (const combgpu__magic_estimate_state *)job->state;
    double mean, error, target = state->desc.relative_error;
    double part = (double)job->sums[0] / (double)state->range.end;
    combgpu__magic_mean(job, &mean, &error);
    if (target > 0 && error > 0 && target * mean / error * (target * mean / error) > part)
        part = target * mean / error * (target * mean / error);
    if (state->desc.run.shard_count > 1) part *= state->desc.run.shard_count;
    return part;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_estimate(combgpu_job *job)
{
    const combgpu__magic_estimate_state *state = (const combgpu__magic_estimate_state *)job->state;
    const combgpu_magic_estimate_desc *desc = &state->desc;
    combgpu_status status = combgpu__magic_estimate_tables(job);
    if (desc->order > 7) job->kernel.name = "combgpu_magic_samples_wide";
    snprintf(job->parameters, sizeof job->parameters,
             "order %d kind %d seed %llu samples %llu error %.9g repeats %d scale %d", desc->order,
             (int)desc->kind, (unsigned long long)desc->seed, (unsigned long long)state->range.end,
             desc->relative_error, state->repeats, state->scale);
    return status;
}

static const combgpu__magic_solver combgpu__magic_estimate_solver = {
    {"estimate of magic squares", combgpu__magic_estimate_frontier, combgpu__magic_no_record,
     combgpu__magic_estimate_slice_done, combgpu__magic_estimate_fraction, NULL,
     combgpu__magic_range_adopt_task, combgpu__magic_adopt_no_record, NULL},
    {"combgpu_magic_samples", "MAGIC6", combgpu__magic_estimate_solve, 1, 128, 1, 61, NULL, NULL},
    combgpu__magic_begin_estimate,
    1};

COMBGPU__DEF combgpu_status combgpu_magic_estimate_begin(combgpu_context *ctx,
                                                         const combgpu_magic_estimate_desc *desc,
                                                         combgpu_job **out)
{
    combgpu__magic_estimate_state state;
    combgpu_status status = combgpu__magic_arguments(ctx, desc, out);
    if (status) return status;
    memset(&state, 0, sizeof state);
    status = combgpu__magic_estimate_validate(ctx, desc, &state);
    if (status) return status;
    return combgpu__magic_create(ctx, &combgpu__magic_estimate_solver, &state, sizeof state,
                                 &desc->run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_estimate_end(combgpu_job *job,
                                                       combgpu_magic_estimate_result *result)
{
    const combgpu__magic_estimate_state *state;
    combgpu_magic_estimate_result r;
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, job->problem == &combgpu__magic_estimate_solver.problem,
                             "combgpu_magic_estimate_begin");
    if (status) return status;
    state = (const combgpu__magic_estimate_state *)job->state;
    memset(&r, 0, sizeof r);
    combgpu__magic_mean(job, &r.count, &r.standard_error);
    r.up_to_d4 = r.count / 8;
    r.relative_error = r.count > 0 ? r.standard_error / r.count : 0;
    r.samples = job->sums[0];
    memcpy(r.sum, job->sums + COMBGPU__MAGIC_E_ADDED, sizeof r.sum);
    memcpy(r.squares, job->sums + COMBGPU__MAGIC_E_SQUARES, sizeof r.squares);
    r.scale = state->scale;
    r.repeats = state->repeats;
    status = combgpu__job_ended(job, job->sums[COMBGPU__MAGIC_E_HASH], &r.run);
    if (result) *result = r;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_estimate(combgpu_context *ctx,
                                                   const combgpu_magic_estimate_desc *desc,
                                                   combgpu_magic_estimate_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    status = combgpu_magic_estimate_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_magic_estimate_end(job, result);
}

/* ---- order 6 in parts: configurations */

#define COMBGPU__MAGIC_SIX_SERIES 32134 /* sets of 6 of 36 numbers that add up to 111 */
#define COMBGPU__MAGIC_PLACINGS 5400u
#define COMBGPU__MAGIC_CHOICES 4614720u /* steps of a configuration: 24 * 23 * 22 * 20 * 19 */
#define COMBGPU__MAGIC_MOST_CONFIGURATIONS 262144u

/* Words of `tables`: the first configuration (two words), how many, then 3 words for each: its
   numbers, 6 bits each, 5 in a word: a00 a55 a11 a44 a22, a33 a05 a50 a14 a41, a23 a32. */
enum { COMBGPU__MAGIC_C_FIRST = 0, COMBGPU__MAGIC_C_COUNT = 2, COMBGPU__MAGIC_C_CONFIGURATION = 4 };
enum { COMBGPU__MAGIC_C_HASH = 1, COMBGPU__MAGIC_C_SQUARES = 2 }; /* totals */

typedef struct combgpu__magic_diagonals_state {
    combgpu__magic_range range;
    combgpu_magic_diagonals_desc desc;
} combgpu__magic_diagonals_state;

static const unsigned char combgpu__magic_diagonal_cells[12] = {0, 35, 7,  28, 14, 21,
                                                                5, 30, 10, 25, 15, 20};

/* The numbers of a pair of series in way `placing` to put them, as three words. */
COMBGPU__PRIVATE void combgpu__magic_place_series(uint64_t a, uint64_t b, uint32_t placing,
                                                  uint32_t *words)
{
    uint32_t numbers[12], main_order = placing / 360, other = placing % 360, i, k;
    uint32_t low[6], high[6], from, to;
    for (i = 0; i < 6; i++, a &= a - 1, b &= b - 1) {
        low[i] = (uint32_t)combgpu__lowest_bit64(a);
        high[i] = (uint32_t)combgpu__lowest_bit64(b);
    }
    for (i = 0; i < 6; i += 2) { /* the smallest number left, and a partner */
        uint32_t choices = 5 - i, partner = 1 + (i == 0   ? main_order / 3
                                                 : i == 2 ? main_order % 3
                                                          : 0);
        numbers[i] = low[0];
        numbers[i + 1] = low[partner];
        for (from = 1, to = 0; from <= choices; from++)
            if (from != partner) low[to++] = low[from];
    }
    for (from = 0, k = other / 24; k >= 5 - from; from++) /* a pair from < to of 6 */
        k -= 5 - from;
    to = from + 1 + k;
    numbers[6] = high[from];
    numbers[7] = high[to];
    for (i = 0, k = 0; i < 6; i++)
        if (i != from && i != to) high[k++] = high[i];
    for (i = 0, other %= 24; i < 4; i++) { /* the other four, in each order */
        uint32_t rest = i == 0 ? 6 : i == 1 ? 2 : 1, pick = other / rest;
        other %= rest;
        numbers[8 + i] = high[pick];
        for (k = pick; k < 3; k++)
            high[k] = high[k + 1];
    }
    for (i = 0; i < 3; i++)
        words[i] = 0;
    for (i = 0; i < 12; i++)
        words[i / 5] |= numbers[i] << 6 * (i % 5);
}

/* Writes `count` configurations from `first` on, three words each. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_configurations(combgpu_context *ctx, uint64_t first,
                                                              uint64_t count, uint32_t *words)
{
    size_t bytes = COMBGPU__MAGIC_SIX_SERIES * sizeof(uint64_t), i, j;
    uint64_t *series = (uint64_t *)combgpu__allocate(ctx, bytes);
    uint64_t skip = first / COMBGPU__MAGIC_PLACINGS;
    uint32_t placing = (uint32_t)(first % COMBGPU__MAGIC_PLACINGS);
    if (!series) return combgpu__no_memory(ctx, bytes);
    combgpu__magic_series(6, 1, 36, 111, 0, series);
    for (i = 0; i < COMBGPU__MAGIC_SIX_SERIES && count; i++) {
        uint64_t set = series[i], disjoint = 0;
        for (j = i + 1; j < COMBGPU__MAGIC_SIX_SERIES; j++)
            disjoint += !(set & series[j]);
        if (skip >= disjoint) {
            skip -= disjoint;
            continue;
        }
        for (j = i + 1; j < COMBGPU__MAGIC_SIX_SERIES && count; j++) {
            if (set & series[j]) continue;
            if (skip) {
                skip--;
                continue;
            }
            for (; placing < COMBGPU__MAGIC_PLACINGS && count; placing++, count--, words += 3)
                combgpu__magic_place_series(set, series[j], placing, words);
            placing = 0;
        }
    }
    combgpu__release(ctx, series);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE int combgpu__magic_diagonal_of(const uint32_t *words, int i)
{
    return (int)(words[i / 5] >> 6 * (i % 5) & 63);
}

COMBGPU__DEF combgpu_status combgpu_magic_diagonals_get(combgpu_context *ctx,
                                                        uint64_t configuration, int *square)
{
    uint32_t words[3];
    combgpu_status status;
    int i;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT; /* its memory is needed */
    if (!square) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "square is NULL");
    if (configuration >= COMBGPU_MAGIC_CONFIGURATIONS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "configuration is %llu; it may be 0 to %llu",
                             (unsigned long long)configuration,
                             (unsigned long long)(COMBGPU_MAGIC_CONFIGURATIONS - 1));
    status = combgpu__magic_configurations(ctx, configuration, 1, words);
    if (status) return status;
    memset(square, 0, 36 * sizeof *square);
    for (i = 0; i < 12; i++)
        square[combgpu__magic_diagonal_cells[i]] = combgpu__magic_diagonal_of(words, i);
    return COMBGPU_OK;
}

/* ---- order 6 in parts: C solver */

/* The squares over a configuration with choice t: the numbers in columns 0, 1 and 4 of row 2 and then
   in columns 0 and 1 of row 3, each by its place among those that are left. Row 3 is filled in every
   way, the rest is counted. */
COMBGPU__PRIVATE uint64_t combgpu__magic_choice(combgpu__magic_rest_cells *rest,
                                                const uint32_t *configuration, uint32_t t)
{
    static const unsigned char cells[6] = {12, 13, 16, 17, 18, 19};
    int need[12], needs[12], i, number;
    uint32_t places[5], place;
    combgpu__magic_numbers left = {(UINT64_C(2) << 36) - 2, 0}, others;
    uint64_t squares = 0, from;
    places[4] = t % 19, places[3] = t / 19 % 20, places[2] = t / 380 % 22;
    places[1] = t / 8360 % 23, places[0] = t / 192280;
    for (i = 0; i < 12; i++)
        need[i] = 111;
    for (i = 0; i < 12; i++) {
        int cell = combgpu__magic_diagonal_cells[i];
        number = combgpu__magic_diagonal_of(configuration, i);
        need[cell / 6] -= number;
        need[6 + cell % 6] -= number;
        left.lo &= ~(UINT64_C(1) << number);
    }
    for (i = 0; i < 6; i++) {
        if (i == 3) { /* the last of row 2 follows */
            number = need[2];
            if (number < 1 || number > 36 || !(left.lo >> number & 1)) return 0;
        } else {
            for (from = left.lo, place = places[i - (i > 3)]; place; place--)
                from &= from - 1;
            number = combgpu__lowest_bit64(from);
        }
        left.lo &= ~(UINT64_C(1) << number);
        need[cells[i] / 6] -= number;
        need[6 + cells[i] % 6] -= number;
    }
    for (from = left.lo; from; from &= from - 1) { /* the last two of row 3 */
        int fifth = combgpu__lowest_bit64(from), sixth = need[3] - fifth;
        if (sixth < 1 || sixth > 36 || sixth == fifth || !(left.lo >> sixth & 1)) continue;
        memcpy(needs, need, sizeof needs);
        needs[6 + 4] -= fifth;
        needs[6 + 5] -= sixth;
        others = left;
        others.lo &= ~(UINT64_C(1) << fifth | UINT64_C(1) << sixth);
        squares += combgpu__magic_rest_ways(rest, 6, 2, others, needs);
    }
    return squares;
}

COMBGPU__PRIVATE int combgpu__magic_diagonals_step(combgpu__worker *worker, void *memory,
                                                   uint64_t index)
{
    const uint32_t *tables = worker->tables;
    uint64_t base = combgpu__get64(tables) * COMBGPU__MAGIC_CHOICES;
    uint64_t squares = combgpu__magic_choice((combgpu__magic_rest_cells *)memory,
                                             tables + COMBGPU__MAGIC_C_CONFIGURATION +
                                                 3 * (index / COMBGPU__MAGIC_CHOICES),
                                             (uint32_t)(index % COMBGPU__MAGIC_CHOICES));
    worker->totals[COMBGPU__MAGIC_C_SQUARES] += squares;
    worker->totals[COMBGPU__MAGIC_C_HASH] += combgpu__mix(combgpu__mix(base + index) ^ squares);
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_diagonals_solve(combgpu__worker *worker)
{
    combgpu__magic_rest_cells rest;
    combgpu__magic_range_solve(worker, &rest, combgpu__magic_diagonals_step);
}

/* ---- order 6 in parts: begin, end */

COMBGPU__PRIVATE double combgpu__magic_diagonals_fraction(const combgpu_job *job)
{
    double all = (double)((const combgpu__magic_range *)job->state)->end;
    return (double)job->sums[0] / all * (job->run.shard_count > 1 ? job->run.shard_count : 1);
}

COMBGPU__PRIVATE uint64_t combgpu__magic_diagonals_solutions(const combgpu_job *job)
{
    return job->sums[COMBGPU__MAGIC_C_SQUARES];
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_begin_diagonals(combgpu_job *job)
{
    combgpu__magic_diagonals_state *state = (combgpu__magic_diagonals_state *)job->state;
    const combgpu_magic_diagonals_desc *desc = &state->desc;
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__MAGIC_C_CONFIGURATION + 3 * (size_t)desc->count);
    snprintf(job->parameters, sizeof job->parameters, "order 6 first %llu count %llu",
             (unsigned long long)desc->first, (unsigned long long)desc->count);
    if (status) return status;
    state->range.end = desc->count * COMBGPU__MAGIC_CHOICES;
    state->range.pieces = desc->count < 18 ? desc->count * 14421 : 1 << 18; /* of 320 steps */
    combgpu__put64(job->tables + COMBGPU__MAGIC_C_FIRST, desc->first);
    job->tables[COMBGPU__MAGIC_C_COUNT] = (uint32_t)desc->count;
    return combgpu__magic_configurations(job->ctx, desc->first, desc->count,
                                         job->tables + COMBGPU__MAGIC_C_CONFIGURATION);
}

static const combgpu__magic_solver combgpu__magic_diagonals_solver = {
    {"diagonals of magic squares", combgpu__magic_range_frontier, combgpu__magic_no_record, NULL,
     combgpu__magic_diagonals_fraction, combgpu__magic_diagonals_solutions,
     combgpu__magic_range_adopt_task, combgpu__magic_adopt_no_record, NULL},
    {"combgpu_magic_configurations", "MAGIC6", combgpu__magic_diagonals_solve, 1, 128, 1, 1, NULL,
     NULL},
    combgpu__magic_begin_diagonals,
    1};

COMBGPU__DEF combgpu_status combgpu_magic_diagonals_begin(combgpu_context *ctx,
                                                          const combgpu_magic_diagonals_desc *desc,
                                                          combgpu_job **out)
{
    combgpu__magic_diagonals_state state;
    combgpu_status status = combgpu__magic_arguments(ctx, desc, out);
    if (status) return status;
    if (desc->count < 1 || desc->count > COMBGPU__MAGIC_MOST_CONFIGURATIONS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "count is %llu; it may be 1 to %u",
                             (unsigned long long)desc->count, COMBGPU__MAGIC_MOST_CONFIGURATIONS);
    if (desc->first > COMBGPU_MAGIC_CONFIGURATIONS - desc->count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "first is %llu; with count %llu it may be 0 to %llu",
                             (unsigned long long)desc->first, (unsigned long long)desc->count,
                             (unsigned long long)(COMBGPU_MAGIC_CONFIGURATIONS - desc->count));
    memset(&state, 0, sizeof state);
    state.desc = *desc;
    return combgpu__magic_create(ctx, &combgpu__magic_diagonals_solver, &state, sizeof state,
                                 &desc->run, out);
}

COMBGPU__DEF combgpu_status combgpu_magic_diagonals_end(combgpu_job *job,
                                                        combgpu_magic_diagonals_result *result)
{
    combgpu_magic_diagonals_result r;
    combgpu_status status;
    uint64_t high;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, job->problem == &combgpu__magic_diagonals_solver.problem,
                             "combgpu_magic_diagonals_begin");
    if (status) return status;
    memset(&r, 0, sizeof r);
    r.squares = job->sums[COMBGPU__MAGIC_C_SQUARES];
    high = (r.squares >> 32) * 192;
    r.count.lo = r.squares * 192;
    r.count.hi = (high + ((r.squares & UINT32_MAX) * 192 >> 32)) >> 32;
    status = combgpu__job_ended(job, job->sums[COMBGPU__MAGIC_C_HASH], &r.run);
    if (result) *result = r;
    return status;
}

COMBGPU__DEF combgpu_status combgpu_magic_diagonals(combgpu_context *ctx,
                                                    const combgpu_magic_diagonals_desc *desc,
                                                    combgpu_magic_diagonals_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    status = combgpu_magic_diagonals_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_magic_diagonals_end(job, result);
}

/* ---- self-test */

COMBGPU__PRIVATE combgpu_status combgpu__magic_expect(combgpu_context *ctx, const char *kernel,
                                                      uint64_t count, uint64_t checksum,
                                                      uint64_t right_count, uint64_t right_checksum)
{
    if (count == right_count && checksum == right_checksum) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                         "kernel %s: %llu squares, checksum %llx; expected %llu, %llx", kernel,
                         (unsigned long long)count, (unsigned long long)checksum,
                         (unsigned long long)right_count, (unsigned long long)right_checksum);
}

/* All squares of order 4, all associative ones, one of the 56,807 tasks of order 5 (its count was also
   made by filling cell after cell), one of the tasks of semi-magic order 5, squares of consecutive
   primes; samples of orders 6 and 8, one of 14,421 tasks of a configuration. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_self_test(combgpu_context *ctx)
{
    static const int primes[16] = {31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101};
    static const struct {
        const char *kernel;
        int order;
        combgpu_magic_kind kind;
        const int *numbers;
        int shard, shards;
        uint64_t count, checksum;
    } searches[5] = {{"combgpu_magic_four", 4, COMBGPU_MAGIC_NORMAL, NULL, 0, 0, 7040,
                      UINT64_C(0x8a8634df4b23d3f8)},
                     {"combgpu_magic_search", 4, COMBGPU_MAGIC_ASSOCIATIVE, NULL, 0, 0, 384,
                      UINT64_C(0x03fe44e36d5cb9e0)},
                     {"combgpu_magic_join", 5, COMBGPU_MAGIC_NORMAL, NULL, 12345, 56807, 26816,
                      UINT64_C(0x57a901504e6d0dc4)},
                     {"combgpu_magic_semi", 5, COMBGPU_MAGIC_SEMI, NULL, 1234, 5919, 846748800,
                      UINT64_C(0x562e5b1e993b9af9)},
                     {"combgpu_magic_ranks", 4, COMBGPU_MAGIC_NORMAL, primes, 0, 0, 32,
                      UINT64_C(0xa90568b0592f37d6)}};
    static const struct {
        const char *kernel;
        int order;
        uint64_t samples, checksum;
    } estimates[2] = {{"combgpu_magic_samples", 6, 64, UINT64_C(0xd5879da29155db7d)},
                      {"combgpu_magic_samples_wide", 8, 1000, UINT64_C(0x74b81070fbaab365)}};
    combgpu_magic_desc desc;
    combgpu_magic_result found;
    combgpu_magic_estimate_desc estimate;
    combgpu_magic_estimate_result estimated;
    combgpu_magic_diagonals_desc part;
    combgpu_magic_diagonals_result counted;
    combgpu_status status = COMBGPU_OK;
    int k;
    for (k = 0; k < 5 && !status; k++) {
        memset(&desc, 0, sizeof desc);
        desc.order = searches[k].order;
        desc.kind = searches[k].kind;
        desc.numbers = searches[k].numbers;
        desc.run.shard_index = searches[k].shard;
        desc.run.shard_count = searches[k].shards;
        status = combgpu_magic(ctx, &desc, &found);
        if (!status)
            status = combgpu__magic_expect(ctx, searches[k].kernel, found.count, found.run.checksum,
                                           searches[k].count, searches[k].checksum);
    }
    for (k = 0; k < 2 && !status; k++) {
        memset(&estimate, 0, sizeof estimate);
        estimate.seed = 6;
        estimate.order = estimates[k].order;
        estimate.samples = estimates[k].samples;
        status = combgpu_magic_estimate(ctx, &estimate, &estimated);
        if (!status)
            status = combgpu__magic_expect(ctx, estimates[k].kernel, estimated.samples,
                                           estimated.run.checksum, estimates[k].samples,
                                           estimates[k].checksum);
    }
    if (status) return status;
    memset(&part, 0, sizeof part);
    part.first = 2500000;
    part.count = 1;
    part.run.shard_index = 8927;
    part.run.shard_count = 14421;
    status = combgpu_magic_diagonals(ctx, &part, &counted);
    if (status) return status;
    return combgpu__magic_expect(ctx, "combgpu_magic_configurations", counted.squares,
                                 counted.run.checksum, 1, UINT64_C(0x92ca23b16e5b2cab));
}

/* (end of SECTION 21) */

/* ============================================================= SECTION 30: no-three-in-line == */
/* The model. Under a symmetry group G the cells fall into orbits, and a solution with that symmetry
   is a set of whole orbits. Rows and columns that G maps to each other count as one *line*; a line
   must get 2 points, and an orbit gives 1 or 2 (its weight) to each of the one or two lines that it
   lies on. In the full search G is trivial: an orbit is a cell, lines are all rows and columns.

   A board holds, for each line, a mask of the orbits on it that are still unknown. Rows and columns
   are indexed from the centre out (0 is a central one), and the highest bit of a line is its most
   central orbit. Tables say, for each pair of orbits, which others share a straight line with them.

   One step = one pass over the lines (a line that needs as many points as its unknown orbits can
   give is forced; one that needs more is dead) + at most one orbit placed, which removes all orbits
   that it now excludes. On a branch the board without that orbit goes on the stack.

   Order of the lines: by class of (points needed, points that unknown orbits can give), then from
   the centre out. It decides the size of the tree: the classes below need a fifth of the steps of a
   search from the edge, and beat every dynamic criterion that was tried.

   Symmetric copies are cut off in the frontier only (combgpu__no3_break), so leaves are tested
   again, exactly, by combgpu__no3_record; there are few.

   What was tried. Whole calls on one H200 (CUDA) unless said; G = 10^9 steps.

     full search, 8 lanes a board, words for rows and for columns (prototype)          5.0 G/s
     4 lanes, the same words; L1 80 % busy, ALU 69 %                       n = 15      8.0 G/s
     2 lanes, rows alone, columns counted bit by bit, and of the rows that pairs of points
     remove only those that remove anything (half of them)                 n = 15     12.0 G/s
     now one lane, the tables in shared memory, where 16 bytes a lane take the fewest cycles:
                                   quarter of n = 16    120th of n = 17    NVIDIA's OpenCL, same
       2 lanes; n = 17 a matrix    11.8 G/s              2.9 G/s           2.2 G/s, -
       a lane, tables in L1         -                    7.2               13.1, 7.0
       in shared memory            15.9                 10.4
         empty rows skipped        17.3                  9.1               (n <= 16: now)
         skipped by predicate      16.3                 10.1
         256 lanes                 14.0                  9.8               (512 and 384: now)
         640 and 448 lanes         15.7                  8.7
         masks from a table        16.6                 10.4
     whole n = 14 1.00 G 0.126 s (2 lanes 0.146 s), n = 15 10.6 G 0.75 s (0.94 s), both without
     skipping
     in a line of class 2 the less central of index and first cell decides: 4 % fewer steps, but the
     first cells of all such lines are to be found; left out
     tasks of the frontier, n = 12: 1,000 15.2 M steps, 4,000 14.6 M, 16,000 14.3 M, 64,000 14.1 M;
     a task takes the host 0.8 us

     classes, words for all lines: boards of 32 words (rot2 and dia1, n = 25)       4.2, 4.3 G/s
     48 words (138 registers, rows of 192 bytes: L1 78 % busy, a third of it
     missed): rot4 n = 36 1.28 G 0.52 s, n = 40 3.1 G/s; near_rot4 n = 37 1.01 G 0.45 s, n = 41
     2.9 G/s; ort1 n = 26 3.2 G/s; dia2 n = 41 3.0 G/s
     now a matrix of rows alone, 4 lanes a board (59 to 64 registers): rot4 n = 36 0.46 s, n = 40
     24.0 G 4.67 s (5.1 G/s); near_rot4 n = 37 0.43 s; all n = 17 2.6 G/s (48 words, the same
     minute: 2.3)
     64 words, all n = 32 0.8 G/s; 128 and 192 words, n = 64: rot2 0.25 G/s, ort1 0.14 G/s

     one core of a Xeon with AVX-512 (gcc 13 -O3 -march=native): the text below n = 12 0.60 s; a board
     in one register n = 12 0.56 s, n = 13 4.50 s, rot4 n = 30 0.63 s */

#define COMBGPU__NO3_SIDE 64     /* largest grid that is searched */
#define COMBGPU__NO3_ALL_SIDE 32 /* by a search for all */
#define COMBGPU__NO3_CELLS (COMBGPU__NO3_SIDE * COMBGPU__NO3_SIDE)
#define COMBGPU__NO3_WORDS 192  /* words of the largest board */
#define COMBGPU__NO3_LINES 96   /* its lines */
#define COMBGPU__NO3_ORBITS 128 /* most orbits on a board, placed */
#define COMBGPU__NO3_NO_ORBIT 0xffffu
#define COMBGPU__NO3_SOLVED 0xffffffffu

/* sums */
#define COMBGPU__NO3_ALL_SUM (COMBGPU__TOTALS + 0)
#define COMBGPU__NO3_CHECKSUM (COMBGPU__TOTALS + 1)
#define COMBGPU__NO3_CALLS (COMBGPU__TOTALS + 2) /* of solution, or classes without one */
#define COMBGPU__NO3_IMAGE (COMBGPU__TOTALS + 3) /* images of the next record already shown */
#define COMBGPU__NO3_PIECE (COMBGPU__TOTALS + 4) /* random order: the next piece of the tree */
#define COMBGPU__NO3_MERGE (COMBGPU__TOTALS + 5) /* log2 of how many pieces are worked as one */
#define COMBGPU__NO3_CLASSES (COMBGPU__TOTALS + 6)

#ifdef __GNUC__
#define COMBGPU__NO3_INLINE static inline __attribute__((always_inline))
#else
#define COMBGPU__NO3_INLINE static inline
#endif

/* ---- boards as rows, and the 8 symmetries: bit 2 of a map swaps x and y, then bit 1 mirrors x, then
   bit 0 mirrors y */

COMBGPU__PRIVATE void combgpu__no3_image(int n, int map, const uint64_t *rows, uint64_t *out)
{
    int x, y;
    for (y = 0; y < n; y++)
        out[y] = 0;
    for (y = 0; y < n; y++) {
        uint64_t rest = rows[y];
        for (; rest; rest &= rest - 1) {
            int to_x, to_y;
            x = combgpu__lowest_bit64(rest);
            to_x = map & 4 ? y : x;
            to_y = map & 4 ? x : y;
            if (map & 2) to_x = n - 1 - to_x;
            if (map & 1) to_y = n - 1 - to_y;
            out[to_y] |= UINT64_C(1) << to_x;
        }
    }
}

/* Rows as numbers, first row first: < 0, 0 or > 0. */
COMBGPU__PRIVATE int combgpu__no3_compare(int n, const uint64_t *a, const uint64_t *b)
{
    int y;
    for (y = 0; y < n; y++)
        if (a[y] != b[y]) return a[y] < b[y] ? -1 : 1;
    return 0;
}

/* All 8 images; the result has bit `map` set where the image is the board itself. */
COMBGPU__PRIVATE unsigned combgpu__no3_images(int n, const uint64_t *rows, uint64_t images[8][64])
{
    unsigned same = 0;
    int map;
    for (map = 0; map < 8; map++) {
        combgpu__no3_image(n, map, rows, images[map]);
        if (!combgpu__no3_compare(n, rows, images[map])) same |= 1u << map;
    }
    return same;
}

/* The class of a board that the maps of `same` keep. */
COMBGPU__PRIVATE combgpu_no3_class combgpu__no3_class(int n, const uint64_t *rows, unsigned same)
{
    uint64_t off[64], turned[64];
    int y;
    switch (same) {
    case 0x01:
        return COMBGPU_NO3_IDEN;
    case 0x11: /* swap */
    case 0x81: /* swap and mirror both */
        return COMBGPU_NO3_DIA1;
    case 0x03:
    case 0x05:
        return COMBGPU_NO3_ORT1;
    case 0x99:
        return COMBGPU_NO3_DIA2;
    case 0x69:
        return COMBGPU_NO3_ROT4;
    case 0x0f:
        return COMBGPU_NO3_ORT2;
    case 0xff:
        return COMBGPU_NO3_FULL;
    }
    if (n % 2 == 0) return COMBGPU_NO3_ROT2;
    for (y = 0; y < n; y++)
        off[y] = rows[y] & ~(UINT64_C(1) << y | UINT64_C(1) << (n - 1 - y));
    combgpu__no3_image(n, 5, off, turned);
    return combgpu__no3_compare(n, off, turned) ? COMBGPU_NO3_ROT2 : COMBGPU_NO3_NEAR_ROT4;
}

/* The smallest of the images that `of` has a bit for, at least the board itself. */
COMBGPU__PRIVATE const uint64_t *combgpu__no3_smallest(int n, uint64_t images[8][64], unsigned of)
{
    int map, best = 0;
    for (map = 1; map < 8; map++)
        if (of >> map & 1 && combgpu__no3_compare(n, images[map], images[best]) < 0) best = map;
    return images[best];
}

/* Looks for three points in line: first in one row, so that few points are left to compare. */
COMBGPU__PRIVATE int combgpu__no3_find_line(int n, const uint64_t *rows, int *line_x, int *line_y)
{
    int x[2 * 63 + 3], y[2 * 63 + 3], count = 0, row, a, b, c, i;
    for (row = 0; row < n; row++) {
        uint64_t rest = rows[row];
        int first = count;
        for (; rest && count - first < 3; rest &= rest - 1) {
            x[count] = combgpu__lowest_bit64(rest);
            y[count++] = row;
        }
        if (count - first < 3) continue;
        for (i = 0; i < 3; i++)
            line_x[i] = x[first + i], line_y[i] = row;
        return 1;
    }
    for (a = 0; a < count; a++)
        for (b = a + 1; b < count; b++)
            for (c = b + 1; c < count; c++) {
                if ((x[b] - x[a]) * (y[c] - y[a]) != (y[b] - y[a]) * (x[c] - x[a])) continue;
                line_x[0] = x[a], line_x[1] = x[b], line_x[2] = x[c];
                line_y[0] = y[a], line_y[1] = y[b], line_y[2] = y[c];
                return 1;
            }
    return 0;
}

/* ---- the model of a job: its `state` */

/* Where things lie in the tables. */
typedef struct combgpu__no3_view {
    const uint32_t *tables, *places, *twice, *pairs, *rows;
    uint32_t stride, line_rows, parts;
    int words, lines, split, wide, weighted, steep;
} combgpu__no3_view;

/* Cells that the caller fixed. A class whose symmetry lies in two ways in the square (dia1, ort1,
   near_rot4 with an odd side) is searched in one frame where that does not matter, in two where the
   fixed cells tell the two apart: in frame 1 the fixed cells are turned, not the model. */
typedef struct combgpu__no3_given {
    int any, frames, turn;          /* turn: the map between the frames, its own inverse */
    unsigned keep[2];               /* by frame: the maps that keep the fixed cells */
    uint64_t on[2][64], off[2][64]; /* by frame and row */
    uint32_t count[2];              /* orbits that the fixed cells place */
} combgpu__no3_given;

#define COMBGPU__NO3_LEVELS 130 /* more than orbits on any board */

typedef struct combgpu__no3 {
    combgpu_no3_desc desc; /* without run */
    combgpu__no3_given given;
    combgpu__no3_view view;             /* of the tables, once they are made */
    uint8_t shift[COMBGPU__NO3_LEVELS]; /* random order: see combgpu__no3_plan */
    uint32_t stop;
    int whole; /* random order: a piece is one shard's, not shared among all */
    int n;
    int index[COMBGPU__NO3_SIDE], coordinate[COMBGPU__NO3_SIDE]; /* inverse to each other */
    unsigned group; /* bit g: the search is for boards that map g keeps */
    unsigned
        images; /* bit g: map g takes orbits to orbits in a way of its own, not the identity's */
    int near;   /* NEAR_ROT4: a quarter turn off the diagonals; on them only a half turn */
    int split;  /* a word holds two lines of 16 orbits */
    int wide;   /* a line of up to 64 orbits has two words; else one, of up to 32 */
    int words;  /* of a board: 16, 32, 48, 64, 128 or 192 */
    int lines;  /* room for so many */
    int matrix; /* a kernel for matrices has so many of their rows in a lane; 0: another kernel */
    int solo;   /* a kernel has a board in a lane */
    uint32_t parts;                              /* rows for a pair: see the tables */
    uint32_t line_mask[COMBGPU__NO3_LINES / 32]; /* bit i of [i >> 5]: line number i is used */
    uint32_t orbits;
    uint32_t most;           /* no board has more orbits */
    uint32_t deepest, tasks; /* frontier: the most orbits on its boards; about so many of them */
    uint32_t depth;          /* random order: copies are cut off on boards of so many orbits */
    uint16_t orbit_of[COMBGPU__NO3_CELLS]; /* of cell y * n + x (indices), or NO_ORBIT */
    uint8_t size[COMBGPU__NO3_CELLS];
    uint16_t cells[COMBGPU__NO3_CELLS][8];
    /* the lines of an orbit: number, rank on it (0 = most central), weight; one line: weight 0 */
    uint8_t line[COMBGPU__NO3_CELLS][2], rank[COMBGPU__NO3_CELLS][2], weight[COMBGPU__NO3_CELLS][2];
} combgpu__no3;

/* Index of the mirrored row or column. */
COMBGPU__PRIVATE int combgpu__no3_mirror(int n, int i)
{
    if (n % 2 == 0) return i ^ 1;
    return i ? ((i - 1) ^ 1) + 1 : 0;
}

/* A cell's image, in indices. */
COMBGPU__PRIVATE int combgpu__no3_map_cell(int n, int map, int cell)
{
    int x = cell % n, y = cell / n, swapped = x;
    if (map & 4) x = y, y = swapped;
    if (map & 2) x = combgpu__no3_mirror(n, x);
    if (map & 1) y = combgpu__no3_mirror(n, y);
    return y * n + x;
}

/* The orbit of the cell in column x of row y, or NO_ORBIT. */
COMBGPU__PRIVATE uint32_t combgpu__no3_orbit_at(const combgpu__no3 *model, int x, int y)
{
    return model->orbit_of[model->index[y] * model->n + model->index[x]];
}

/* Adds an orbit's points to a board. */
COMBGPU__PRIVATE void combgpu__no3_add_orbit(const combgpu__no3 *model, uint32_t orbit,
                                             uint64_t *rows)
{
    int i;
    for (i = 0; i < model->size[orbit]; i++) {
        int cell = model->cells[orbit][i];
        rows[model->coordinate[cell / model->n]] |= UINT64_C(1)
                                                    << model->coordinate[cell % model->n];
    }
}

/* Are three cells in line? */
COMBGPU__PRIVATE int combgpu__no3_in_line(const combgpu__no3 *model, int a, int b, int c)
{
    const int *at = model->coordinate;
    int n = model->n;
    int bx = at[b % n] - at[a % n], by = at[b / n] - at[a / n];
    int cx = at[c % n] - at[a % n], cy = at[c / n] - at[a / n];
    return bx * cy == by * cx;
}

/* ---- validate */

COMBGPU__PRIVATE combgpu_status combgpu__no3_validate_cells(combgpu_context *ctx,
                                                            const combgpu_no3_desc *desc)
{
    int y, k;
    for (y = 0; y < desc->n; y++)
        for (k = 0; k < 2; k++) {
            const uint64_t *rows = k ? desc->off : desc->on;
            uint64_t both = desc->on && desc->off ? desc->on[y] & desc->off[y] : 0;
            uint64_t outside = rows && desc->n < 64 ? rows[y] >> desc->n : 0;
            if (outside)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "desc.%s[%d] has a point in column %d; with n = %d columns "
                                     "are 0 to %d",
                                     k ? "off" : "on", y, desc->n + combgpu__lowest_bit64(outside),
                                     desc->n, desc->n - 1);
            if (both)
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "row %d, column %d is in desc.on and in desc.off; a cell may "
                                     "be in one of them",
                                     y, combgpu__lowest_bit64(both));
        }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_validate(combgpu_context *ctx,
                                                      const combgpu_no3_desc *desc)
{
    if (desc->n < 2 || desc->n > COMBGPU__NO3_SIDE)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.n is %d; it may be 2 to %d",
                             desc->n, COMBGPU__NO3_SIDE);
    if ((int)desc->symmetry < COMBGPU_NO3_ALL || (int)desc->symmetry >= COMBGPU_NO3_CLASS_COUNT)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.symmetry is %d; it may be 0 (all) or %d (dia1) to %d (full)",
                             (int)desc->symmetry, COMBGPU_NO3_DIA1, COMBGPU_NO3_FULL);
    if (desc->symmetry == COMBGPU_NO3_IDEN)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.symmetry is iden, which every solution has at least; search all "
                             "(0) and read classes[COMBGPU_NO3_IDEN]");
    if (desc->symmetry == COMBGPU_NO3_ALL && desc->n > COMBGPU__NO3_ALL_SIDE)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "desc.n is %d; without a symmetry class grids up to %d are searched",
                             desc->n, COMBGPU__NO3_ALL_SIDE);
    return combgpu__no3_validate_cells(ctx, desc);
}

/* ---- tables: orbits and lines */

COMBGPU__PRIVATE unsigned combgpu__no3_group(combgpu_no3_class symmetry)
{
    switch (symmetry) {
    case COMBGPU_NO3_DIA1:
        return 0x11;
    case COMBGPU_NO3_ORT1:
        return 0x05;
    case COMBGPU_NO3_ROT2:
        return 0x09;
    case COMBGPU_NO3_NEAR_ROT4:
    case COMBGPU_NO3_ROT4:
        return 0x69;
    case COMBGPU_NO3_DIA2:
        return 0x99;
    case COMBGPU_NO3_ORT2:
        return 0x0f;
    case COMBGPU_NO3_FULL:
        return 0xff;
    default:
        return 0x01;
    }
}

/* Can an orbit be part of a solution? Not with three in line, nor the centre under a half turn:
   every other point and its image would be in line with it. */
COMBGPU__PRIVATE int combgpu__no3_usable(const combgpu__no3 *model, const uint16_t *cells, int size)
{
    int a, b, c;
    if (model->n % 2 && cells[0] == 0 && model->group & 8) return 0;
    for (a = 0; a < size; a++)
        for (b = 0; b < a; b++)
            for (c = 0; c < b; c++)
                if (combgpu__no3_in_line(model, cells[a], cells[b], cells[c])) return 0;
    return 1;
}

/* Splits the cells into orbits. On an odd side a near-rot4 solution has two points on one of the
   long diagonals and none on the other (2n = 2 modulo 4); its mirror image has them on the main
   diagonal, where alone they are looked for. */
COMBGPU__PRIVATE void combgpu__no3_make_orbits(combgpu__no3 *model)
{
    uint8_t seen[COMBGPU__NO3_CELLS];
    int n = model->n, cell, map, i;
    memset(seen, 0, sizeof seen);
    memset(model->orbit_of, 0xff, sizeof model->orbit_of);
    for (cell = 0; cell < n * n; cell++) {
        int x = cell % n, y = cell / n, size = 0, usable;
        int main = x == y, other = x == combgpu__no3_mirror(n, y);
        unsigned group = model->near && (main || other) ? 0x09u : model->group;
        uint16_t cells[8];
        if (seen[cell]) continue;
        for (map = 0; map < 8; map++) {
            int image = combgpu__no3_map_cell(n, map, cell);
            if (!(group >> map & 1) || seen[image]) continue;
            seen[image] = 1;
            cells[size++] = (uint16_t)image;
        }
        usable = combgpu__no3_usable(model, cells, size);
        if (model->near && n % 2 && other && !main) usable = 0;
        if (!usable) continue;
        for (i = 0; i < size; i++)
            model->orbit_of[cells[i]] = (uint16_t)model->orbits;
        memcpy(model->cells[model->orbits], cells, sizeof cells);
        model->size[model->orbits++] = (uint8_t)size;
    }
}

/* Does a map take every orbit to an orbit, and some to another than map `before` does? */
COMBGPU__PRIVATE int combgpu__no3_permutes(const combgpu__no3 *model, int map, int before)
{
    int n = model->n, differs = 0, i;
    uint32_t orbit;
    for (orbit = 0; orbit < model->orbits; orbit++) {
        const uint16_t *cells = model->cells[orbit];
        uint16_t to = model->orbit_of[combgpu__no3_map_cell(n, map, cells[0])];
        if (to == COMBGPU__NO3_NO_ORBIT || model->size[to] != model->size[orbit]) return 0;
        for (i = 1; i < model->size[orbit]; i++)
            if (model->orbit_of[combgpu__no3_map_cell(n, map, cells[i])] != to) return 0;
        differs |= to != model->orbit_of[combgpu__no3_map_cell(n, before, cells[0])];
    }
    return differs;
}

/* Finds one map for each way in which orbits can be taken to orbits, but for the identity. */
COMBGPU__PRIVATE void combgpu__no3_find_images(combgpu__no3 *model)
{
    int map, before;
    for (map = 1; map < 8; map++) {
        for (before = 0; before < map; before++) {
            if (before && !(model->images >> before & 1)) continue;
            if (!combgpu__no3_permutes(model, map, before)) break;
        }
        if (before == map) model->images |= 1u << map;
    }
}

/* Rows and columns as one list, from the centre out: 2 * index, + 1 for columns. */
COMBGPU__PRIVATE int combgpu__no3_cell_on(int n, int raw, int i)
{
    return raw & 1 ? i * n + raw / 2 : raw / 2 * n + i;
}

/* Gives each row and column its line's representative, the first in that list. */
COMBGPU__PRIVATE void combgpu__no3_make_classes(const combgpu__no3 *model, int *representative)
{
    int n = model->n, raw, map;
    for (raw = 0; raw < 2 * n; raw++) {
        representative[raw] = raw;
        for (map = 0; map < 8; map++) {
            int i = raw / 2, image;
            if (!(model->group >> map & 1)) continue;
            if (map & (raw & 1 ? ((map & 4) ? 1 : 2) : ((map & 4) ? 2 : 1)))
                i = combgpu__no3_mirror(n, i);
            image = 2 * i + ((raw & 1) ^ (map >> 2));
            if (image < representative[raw]) representative[raw] = image;
        }
    }
}

/* Numbers the lines, ranks their orbits, and chooses the format of the board: with at least
   `least_words` words, and wide lines if that is odd (more than needed only in tests of kernels). */
COMBGPU__PRIVATE void combgpu__no3_make_lines(combgpu__no3 *model, int least_words)
{
    int representative[2 * COMBGPU__NO3_SIDE], count = 0, n = model->n, raw, i, k;
    uint32_t orbit, lightest = 4;
    static const uint8_t sizes[6] = {16, 32, 48, 64, 128, 192};
    int asked = least_words == 20 || least_words == 24 ? least_words : 0; /* for a matrix */
    if (asked) least_words = model->group == 1 ? 48 : 49;
    combgpu__no3_make_classes(model, representative);
    for (raw = 0; raw < 2 * n; raw++)
        count += representative[raw] == raw;
    model->split = model->group == 1 && n <= 16 && least_words <= 16;
    model->wide =
        (least_words & 1) || least_words >= 128 ||
        (n > 32 && model->group != 0x0f && model->group != 0xff); /* these: n / 2 on a line */
    for (k = 0; !model->split && sizes[k] < (model->wide ? 2 * count : count);)
        k++;
    if (k == 0 && !model->split && model->orbits > 256) k = 1; /* pairs have 16-bit numbers */
    while (sizes[k] < (least_words & ~1))
        k++;
    model->words = sizes[k];
    model->lines = model->split ? 32 : model->words >> model->wide;
    model->solo = model->split || (model->group == 1 && n == 17 && least_words <= 16);
    if ((least_words <= 16 || asked) && model->words == 48 && !model->solo &&
        (model->group == 1 || (model->group == 0x69 && model->wide && model->near == n % 2)))
        model->matrix = asked ? asked / 4 : (model->group == 1 ? n : count) <= 20 ? 5 : 6;
    model->parts = model->words >= 128 && combgpu__popcount64(model->group) == 2 ? 2 : 1;
    for (raw = 0, count = 0; raw < 2 * n; raw++) {
        int line = count, rank = 0;
        if (representative[raw] != raw) continue;
        count++;
        model->line_mask[line >> 5] |= 1u << (line & 31);
        for (i = 0; i < n; i++) {
            orbit = model->orbit_of[combgpu__no3_cell_on(n, raw, i)];
            if (orbit == COMBGPU__NO3_NO_ORBIT) continue;
            for (k = 0; k < 2; k++)
                if (!model->weight[orbit][k] || model->line[orbit][k] == line) break;
            if (!model->weight[orbit][k]++) {
                model->line[orbit][k] = (uint8_t)line;
                model->rank[orbit][k] = (uint8_t)rank++;
            }
        }
    }
    for (orbit = 0; orbit < model->orbits; orbit++) {
        uint32_t total = (uint32_t)model->weight[orbit][0] + model->weight[orbit][1];
        if (total < lightest) lightest = total;
        if (!model->weight[orbit][1]) { /* it lies on one line: the second place is the first */
            model->line[orbit][1] = model->line[orbit][0];
            model->rank[orbit][1] = model->rank[orbit][0];
        }
    }
    model->most = 2 * (uint32_t)count / lightest;
}

/* Where the k-th place of an orbit is in a board: the word, and its bit. */
COMBGPU__PRIVATE uint32_t combgpu__no3_bit(const combgpu__no3 *model, uint32_t orbit, int k,
                                           int *word)
{
    int line = model->line[orbit][k], rank = model->rank[orbit][k];
    *word = model->split ? line >> 1 : model->wide ? 2 * line + (rank >> 5) : line;
    return 1u << ((model->split && !(line & 1) ? 15 : 31) - (rank & 31));
}

/* Sets an orbit's places in a row of board words. */
COMBGPU__PRIVATE void combgpu__no3_set(const combgpu__no3 *model, uint32_t orbit, uint32_t *row)
{
    int k, word;
    for (k = 0; k < 2; k++) {
        uint32_t bit = combgpu__no3_bit(model, orbit, k, &word);
        row[word] |= bit;
    }
}

/* job->tables: this header, then what it says the offsets of, in words. */
enum {
    COMBGPU__NO3_AT_WORDS, /* words of a board */
    COMBGPU__NO3_AT_ORBITS,
    COMBGPU__NO3_AT_STRIDE,   /* pairs from one orbit to the next, even */
    COMBGPU__NO3_AT_SPLIT,    /* a word holds two lines of 16 orbits */
    COMBGPU__NO3_AT_PARTS,    /* rows for a pair */
    COMBGPU__NO3_AT_WEIGHTED, /* there are weights of 2 */
    COMBGPU__NO3_AT_LEVELS,   /* of a search stack */
    COMBGPU__NO3_AT_TWO, /* class for 2 points needed, by what is there, 0..7 or more: 8 nibbles */
    COMBGPU__NO3_AT_ONE, /* for 1 point needed */
    COMBGPU__NO3_AT_LINE_ROWS, /* number of the first line row */
    COMBGPU__NO3_AT_PLACES,    /* offset of [line][rank], 64 ranks each: orbit | other line << 12 |
                                  weight << 19 | weight on the other line << 21 */
    COMBGPU__NO3_AT_TWICE,     /* offset of a row of board words: places of weight 2 */
    COMBGPU__NO3_AT_PAIRS,     /* offset of pair numbers: 16 bits each with 16 words, else 32 */
    COMBGPU__NO3_AT_ROWS,      /* offset of the rows, a multiple of 4 */
    COMBGPU__NO3_AT_SIDE,      /* n */
    COMBGPU__NO3_AT_GRID,      /* offset of the cells for combgpu_no3_search_20 .., or 0 */
    COMBGPU__NO3_AT_WIDE,      /* a line has two words */
    COMBGPU__NO3_AT_MATRIX,    /* offset of the rows for combgpu_no3_search_20, 24, 20f, 24f */
    COMBGPU__NO3_AT_SOLO,      /* offset of the table of combgpu_no3_search_solo, solo17, or 0 */
    COMBGPU__NO3_AT_SOLO_CORNER, /* rows from this place in it on have the last cell */
    COMBGPU__NO3_HEADER = 32
};

/* ---- tables: rows of board words that a step removes

   row 0 is empty; 1 + orbit: the orbit alone; then for each line what goes when it needs no point
   any more (all its orbits), one (those of weight 2), two (nothing); then what is in line with two
   points:
     in the full search a row for each straight line, which all pairs on it share;
     in a class one for each pair of orbits, the union of all lines between them, and for each orbit
     with itself all that it excludes alone: by a line through two of its points, or through two
     points of the other and one of its own;
     with boards of 128 words and more, where those would be gigabytes, the latter for each orbit,
     then the straight lines, of which a pair has two (groups of order 2). */
typedef struct combgpu__no3_rows {
    const combgpu__no3 *model;
    uint32_t *tables; /* NULL: count only */
    uint32_t *row;    /* the first of these rows */
    size_t first;     /* its number */
    size_t count;     /* straight lines so far */
} combgpu__no3_rows;

COMBGPU__PRIVATE size_t combgpu__no3_line_row(const combgpu__no3 *model, int line, int need)
{
    return 1 + model->orbits + 3 * (size_t)line + (size_t)need;
}

/* The row of two orbits among the rows above. */
COMBGPU__PRIVATE size_t combgpu__no3_union(const combgpu__no3 *model, size_t p, size_t q)
{
    if (model->parts > 1) return p;
    return p < q ? q * (q + 1) / 2 + p : p * (p + 1) / 2 + q;
}

COMBGPU__PRIVATE void combgpu__no3_set_pair(uint32_t *tables, uint32_t p, uint32_t q, uint32_t part,
                                            size_t row)
{
    uint32_t *pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
    size_t at = ((size_t)p * tables[COMBGPU__NO3_AT_STRIDE] + q) * tables[COMBGPU__NO3_AT_PARTS];
    uint16_t short_row = (uint16_t)row;
    if (tables[COMBGPU__NO3_AT_WORDS] == 16)
        memcpy((char *)pairs + 2 * at, &short_row, sizeof short_row);
    else
        pairs[at + part] = (uint32_t)row;
}

/* Gives pairs of points on a straight line, and on its images, their row. */
COMBGPU__PRIVATE void combgpu__no3_share(const combgpu__no3_rows *rows, const uint16_t *cells,
                                         int count, size_t row)
{
    const combgpu__no3 *model = rows->model;
    int map, a, b, j;
    for (map = 0; map < 8; map++)
        for (a = 0; model->group >> map & 1 && a < count; a++) {
            int from = combgpu__no3_map_cell(model->n, map, cells[a]);
            uint32_t p = model->orbit_of[from], q;
            if (p == COMBGPU__NO3_NO_ORBIT || model->cells[p][0] != from) continue;
            for (b = 0; b < count; b++) {
                int to = combgpu__no3_map_cell(model->n, map, cells[b]);
                q = model->orbit_of[to];
                if (q == COMBGPU__NO3_NO_ORBIT || q == p) continue;
                for (j = 0; model->cells[q][j] != to; j++) {
                }
                combgpu__no3_set_pair(rows->tables, p, q, (uint32_t)j, row);
            }
        }
}

/* The straight line from a cell (coordinates) on; nothing if an image of it comes before it. */
COMBGPU__PRIVATE void combgpu__no3_straight(combgpu__no3_rows *rows, int x, int y, int dx, int dy)
{
    const combgpu__no3 *model = rows->model;
    uint16_t cells[COMBGPU__NO3_SIDE];
    uint32_t mask[COMBGPU__NO3_WORDS], words = (uint32_t)model->words, i, p, q;
    int n = model->n, count = 0, map, a, b, first, last;
    unsigned group = model->near ? 0x09u : model->group;
    for (; x < n && y >= 0 && y < n; x += dx, y += dy)
        cells[count++] = (uint16_t)(model->index[y] * n + model->index[x]);
    first = cells[0] < cells[count - 1] ? cells[0] : cells[count - 1];
    last = cells[0] ^ cells[count - 1] ^ first;
    for (map = 1; map < 8; map++) {
        if (!(group >> map & 1)) continue;
        a = combgpu__no3_map_cell(n, map, first);
        b = combgpu__no3_map_cell(n, map, last);
        if (b < a) a ^= b, b ^= a, a ^= b;
        if (a < first || (a == first && b < last)) return;
    }
    rows->count++;
    if (!rows->tables) return;
    memset(mask, 0, words * sizeof *mask);
    for (a = 0; a < count; a++)
        if (model->orbit_of[cells[a]] != COMBGPU__NO3_NO_ORBIT)
            combgpu__no3_set(model, model->orbit_of[cells[a]], mask);
    if (model->group == 1 || model->parts > 1) {
        size_t at = rows->count - 1 + (model->parts > 1 ? model->orbits : 0);
        memcpy(rows->row + at * words, mask, words * sizeof *mask);
        combgpu__no3_share(rows, cells, count, rows->first + at);
    }
    for (a = 1; model->group != 1 && a < count; a++)
        for (b = 0; b < a; b++) {
            p = model->orbit_of[cells[a]], q = model->orbit_of[cells[b]];
            if (p == COMBGPU__NO3_NO_ORBIT || q == COMBGPU__NO3_NO_ORBIT) continue;
            if (p != q && model->parts == 1)
                for (i = 0; i < words; i++)
                    rows->row[combgpu__no3_union(model, p, q) * words + i] |= mask[i];
            for (i = 0; p == q && i < (uint32_t)count; i++) {
                uint32_t other = model->orbit_of[cells[i]];
                if (other == p || other == COMBGPU__NO3_NO_ORBIT) continue;
                combgpu__no3_set(model, other, rows->row + combgpu__no3_union(model, p, p) * words);
                combgpu__no3_set(model, p,
                                 rows->row + combgpu__no3_union(model, other, other) * words);
            }
        }
}

/* All straight lines of three cells or more but rows and columns, one of those that are images. */
COMBGPU__PRIVATE void combgpu__no3_straights(combgpu__no3_rows *rows)
{
    int n = rows->model->n, dx, dy, x, y;
    for (dx = 1; 2 * dx < n; dx++)
        for (dy = -(n - 1) / 2; 2 * dy < n; dy++) {
            int g = dx, r = dy < 0 ? -dy : dy;
            while (r) {
                int t = g % r;
                g = r;
                r = t;
            }
            if (g != 1 || dy == 0) continue;
            for (x = 0; x + 2 * dx < n; x++)
                for (y = dy < 0 ? -2 * dy : 0; y < n && y + 2 * dy < n; y++)
                    if (x < dx || y < dy || y - dy >= n) combgpu__no3_straight(rows, x, y, dx, dy);
        }
}

/* The table of the kernels with a board in a lane (combgpu_kernels.cl): the rows of straight lines, the
   empty one first, as three arrays of 4, 4 and 1 words (n = 17 only); then the bytes before the row of
   a pair of points: n = 17 a triangle, else [256][256]. */
#define COMBGPU__NO3_SOLO_ROWS(wide) ((wide) ? 3495u : 2723u)
#define COMBGPU__NO3_SOLO_BYTES(wide)                                                              \
    ((wide) ? (36 * 3495u + 289 * 290 + 15) / 16 * 16 : 32 * 2723u + 2 * 256 * 256)
#define COMBGPU__NO3_SOLO_LEVELS 15
#define COMBGPU__NO3_SOLO_LEVEL 12

COMBGPU__PRIVATE combgpu_status combgpu__no3_fill_solo(combgpu_job *job,
                                                       const combgpu__no3_rows *rows)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *solo = tables + tables[COMBGPU__NO3_AT_SOLO], p, q, number;
    uint32_t wide = !model->split, all = COMBGPU__NO3_SOLO_ROWS(wide), n = (uint32_t)model->n;
    size_t words = (size_t)model->words, i;
    uint16_t *place = (uint16_t *)combgpu__allocate(job->ctx, (rows->count + 1) * sizeof *place);
    uint32_t corner, j;
    if (!place) return combgpu__no_memory(job->ctx, (rows->count + 1) * sizeof *place);
    place[0] = 0;
    for (corner = 0, number = 1; corner < 2; corner++) {
        if (corner) tables[COMBGPU__NO3_AT_SOLO_CORNER] = 16 * number;
        for (i = 0; i < rows->count; i++) {
            const uint32_t *row = rows->row + i * words;
            if (wide ? (row[32] >> 15 & 1) != corner : corner) continue;
            for (j = 0; j < 8; j++)
                solo[(j < 4 ? 0 : 4 * all) + 4 * number + j % 4] =
                    wide ? (row[2 * j] & 0xffff0000u) | row[2 * j + 16] >> 16
                         : row[j] << 16 | (row[j + 8] & 0xffff);
            if (wide) solo[8 * all + number] = (row[33] & 0xffff0000u) | row[32] >> 16;
            place[i + 1] = (uint16_t)(16 * number++);
        }
    }
    for (p = 0; p < model->orbits; p++)
        for (q = 0; q < model->orbits; q++) {
            size_t at = (size_t)p * tables[COMBGPU__NO3_AT_STRIDE] + q;
            const uint32_t *pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
            uint32_t to = p > q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
            uint32_t pair = pairs[wide ? at : 0];
            uint16_t id;
            memcpy(&id, (const char *)pairs + (wide ? 0 : 2 * at), sizeof id);
            if (!wide) pair = id;
            id = pair ? place[pair - rows->first + 1] : 0;
            if (!wide) to = (p / n << 4 | p % n) << 8 | (q / n << 4 | q % n);
            memcpy((char *)solo + (wide ? 36 : 32) * all + 2 * to, &id, sizeof id);
        }
    combgpu__release(job->ctx, place);
    return COMBGPU_OK;
}

/* The tables of the kernels for matrices (their offsets): for each cell its orbit, weight on the line
   of its row << 12, and of its column << 14; for each orbit row | column << 5, then word and bit of
   its two places in a board; in the full search the numbers of pairs, in 16 bits. Then the rows that
   a step removes, as matrices. */
#define COMBGPU__NO3_MATRIX_SPOTS 1024

COMBGPU__PRIVATE void combgpu__no3_fill_matrix(const combgpu__no3_rows *rows, size_t count)
{
    const combgpu__no3 *model = rows->model;
    uint32_t *tables = rows->tables, *cells = tables + tables[COMBGPU__NO3_AT_GRID];
    const uint32_t *row = tables + tables[COMBGPU__NO3_AT_ROWS];
    uint32_t *spots = cells + COMBGPU__NO3_MATRIX_SPOTS, share = (uint32_t)model->matrix, p;
    uint32_t *to = tables + tables[COMBGPU__NO3_AT_MATRIX];
    int n = model->n, cell, word, other;
    size_t i;
    for (cell = 0; cell < n * n; cell++) {
        int x = cell % n, y = cell / n, k;
        uint32_t bit;
        if (model->group != 1) { /* one cell of each orbit: see the kernel */
            if (n % 2 == 0 && (x % 2 || y % 2)) continue;
            if (n % 2 && (x % 2 == 0 || (y && y % 2 == 0))) continue;
            x = (x + n % 2) / 2, y = (y + n % 2) / 2;
        }
        p = model->orbit_of[cell];
        if (p == COMBGPU__NO3_NO_ORBIT) continue;
        k = model->group == 1 ? 0 : model->line[p][0] != y;
        cells[y * 32 + x] =
            p | (uint32_t)model->weight[p][k] << 12 | (uint32_t)(model->weight[p][1 - k]) << 14;
        spots[2 * p] = (uint32_t)y | (uint32_t)x << 5;
        bit = combgpu__no3_bit(model, p, 0, &word);
        spots[2 * p + 1] = (uint32_t)word | (uint32_t)combgpu__lowest_bit64(bit) << 8;
        bit = combgpu__no3_bit(model, p, 1, &other);
        spots[2 * p + 1] |= (uint32_t)other << 16 | (uint32_t)combgpu__lowest_bit64(bit) << 24;
    }
    for (i = 0; model->group == 1 && i < (size_t)model->orbits * tables[COMBGPU__NO3_AT_STRIDE];
         i++) {
        uint16_t number = (uint16_t)tables[tables[COMBGPU__NO3_AT_PAIRS] + i];
        memcpy((char *)(spots + 2 * model->orbits) + 2 * i, &number, sizeof number);
    }
    for (i = 0; i < count; i++, row += model->words, to += 4 * share)
        for (p = 0; p < model->orbits; p++) {
            uint32_t place = spots[2 * p + 1], y = spots[2 * p] & 31, lane = y / share,
                     j = y % share;
            if (row[place & 255] >> (place >> 8 & 31) & 1)
                to[j < 4 ? 4 * lane + j : 16 + (share - 4) * lane + j - 4] |=
                    0x80000000u >> (spots[2 * p] >> 5);
        }
}

/* Classes, dead 0 and forced 1, then in the order in which lines are taken. Measured for the full
   search and rot2, and for the others, which have more orbits on a line. */
#define COMBGPU__NO3_FLAT_TWO 0x55432100u
#define COMBGPU__NO3_FLAT_ONE 0x77777210u
#define COMBGPU__NO3_STEEP_TWO 0x65432100u
#define COMBGPU__NO3_STEEP_ONE 0x99653210u

/* The places, and the rows of orbits and of lines. */
COMBGPU__PRIVATE void combgpu__no3_fill_tables(const combgpu__no3 *model, uint32_t *tables)
{
    uint32_t *places = tables + tables[COMBGPU__NO3_AT_PLACES];
    uint32_t *twice = tables + tables[COMBGPU__NO3_AT_TWICE];
    uint32_t *rows = tables + tables[COMBGPU__NO3_AT_ROWS], p;
    size_t words = (size_t)model->words;
    int k, word;
    for (p = 0; p < model->orbits; p++) {
        combgpu__no3_set(model, p, rows + (1 + p) * words);
        for (k = 0; k < 2; k++) {
            uint32_t weight = model->weight[p][k], bit = combgpu__no3_bit(model, p, k, &word);
            int line = model->line[p][k];
            if (!weight) continue;
            places[line * 64 + model->rank[p][k]] = p | (uint32_t)model->line[p][1 - k] << 12 |
                                                    weight << 19 |
                                                    (uint32_t)model->weight[p][1 - k] << 21;
            combgpu__no3_set(model, p, rows + combgpu__no3_line_row(model, line, 0) * words);
            if (weight < 2) continue;
            combgpu__no3_set(model, p, rows + combgpu__no3_line_row(model, line, 1) * words);
            twice[word] |= bit;
            tables[COMBGPU__NO3_AT_WEIGHTED] = 1;
        }
    }
}

COMBGPU__PRIVATE void combgpu__no3_look(const uint32_t *tables, combgpu__no3_view *view)
{
    view->tables = tables;
    view->places = tables + tables[COMBGPU__NO3_AT_PLACES];
    view->twice = tables + tables[COMBGPU__NO3_AT_TWICE];
    view->pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
    view->rows = tables + tables[COMBGPU__NO3_AT_ROWS];
    view->stride = tables[COMBGPU__NO3_AT_STRIDE];
    view->line_rows = tables[COMBGPU__NO3_AT_LINE_ROWS];
    view->words = (int)tables[COMBGPU__NO3_AT_WORDS];
    view->parts = tables[COMBGPU__NO3_AT_PARTS];
    view->split = (int)tables[COMBGPU__NO3_AT_SPLIT];
    view->wide = (int)tables[COMBGPU__NO3_AT_WIDE];
    view->lines = view->split ? 32 : view->words >> view->wide;
    view->weighted = (int)tables[COMBGPU__NO3_AT_WEIGHTED];
    view->steep = tables[COMBGPU__NO3_AT_TWO] == COMBGPU__NO3_STEEP_TWO;
}

/* Lays out and fills job->tables. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_make_tables(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)job->state;
    int flat = model->group == 1 || model->desc.symmetry == COMBGPU_NO3_ROT2;
    size_t orbits = model->orbits, words = (size_t)model->words, count, at, grid, matrix, p, q, i;
    size_t stride = orbits + orbits % 2, pairs = stride * orbits * model->parts;
    uint32_t *tables;
    combgpu__no3_rows rows;
    combgpu_status status;
    memset(&rows, 0, sizeof rows);
    rows.model = model;
    rows.first = combgpu__no3_line_row(model, model->lines, 0);
    if (model->group == 1 || model->parts > 1) combgpu__no3_straights(&rows);
    count = rows.first + rows.count;
    if (model->group != 1) count += model->parts > 1 ? orbits : orbits * (orbits + 1) / 2;
    if (words == 16) pairs /= 2;
    /* rows begin at multiples of 128 bytes, as a device's memory does */
    at = (COMBGPU__NO3_HEADER + 64 * (size_t)model->lines + words + pairs + 31) / 32 * 32;
    grid = (at + count * words + 31) / 32 * 32;
    matrix = grid + COMBGPU__NO3_MATRIX_SPOTS + 2 * orbits + (model->group == 1 ? pairs / 2 : 0);
    matrix = (matrix + 31) / 32 * 32;
    status =
        combgpu__job_tables(job, model->solo     ? grid + COMBGPU__NO3_SOLO_BYTES(!model->split) / 4
                                 : model->matrix ? matrix + count * 4 * (size_t)model->matrix
                                                 : grid);
    if (status) return status;
    tables = job->tables;
    tables[COMBGPU__NO3_AT_WORDS] = (uint32_t)words;
    tables[COMBGPU__NO3_AT_ORBITS] = model->orbits;
    tables[COMBGPU__NO3_AT_STRIDE] = (uint32_t)stride;
    tables[COMBGPU__NO3_AT_SPLIT] = (uint32_t)model->split;
    tables[COMBGPU__NO3_AT_PARTS] = model->parts;
    tables[COMBGPU__NO3_AT_LEVELS] = model->most + 1;
    tables[COMBGPU__NO3_AT_TWO] = flat ? COMBGPU__NO3_FLAT_TWO : COMBGPU__NO3_STEEP_TWO;
    tables[COMBGPU__NO3_AT_ONE] = flat ? COMBGPU__NO3_FLAT_ONE : COMBGPU__NO3_STEEP_ONE;
    tables[COMBGPU__NO3_AT_LINE_ROWS] = (uint32_t)combgpu__no3_line_row(model, 0, 0);
    tables[COMBGPU__NO3_AT_PLACES] = COMBGPU__NO3_HEADER;
    tables[COMBGPU__NO3_AT_TWICE] = COMBGPU__NO3_HEADER + 64 * (uint32_t)model->lines;
    tables[COMBGPU__NO3_AT_PAIRS] = tables[COMBGPU__NO3_AT_TWICE] + (uint32_t)words;
    tables[COMBGPU__NO3_AT_ROWS] = (uint32_t)at;
    tables[COMBGPU__NO3_AT_SIDE] = (uint32_t)model->n;
    tables[COMBGPU__NO3_AT_GRID] = model->matrix ? (uint32_t)grid : 0;
    tables[COMBGPU__NO3_AT_MATRIX] = model->matrix ? (uint32_t)matrix : 0;
    tables[COMBGPU__NO3_AT_WIDE] = (uint32_t)model->wide;
    combgpu__no3_fill_tables(model, tables);
    rows.tables = tables;
    rows.row = tables + at + rows.first * words;
    rows.count = 0;
    combgpu__no3_straights(&rows);
    for (p = 0; model->group != 1 && p < orbits; p++)
        for (q = model->parts > 1 ? p : 0; q <= p; q++) {
            size_t row = combgpu__no3_union(model, p, q);
            uint32_t any = 0;
            for (i = 0; i < words; i++)
                any |= rows.row[row * words + i];
            row = any ? rows.first + row : 0;
            combgpu__no3_set_pair(tables, (uint32_t)p, (uint32_t)q, 0, row);
            if (p != q) combgpu__no3_set_pair(tables, (uint32_t)q, (uint32_t)p, 0, row);
        }
    if (model->matrix) combgpu__no3_fill_matrix(&rows, count);
    if (model->solo) {
        tables[COMBGPU__NO3_AT_SOLO] = (uint32_t)grid;
        status = combgpu__no3_fill_solo(job, &rows);
    }
    combgpu__no3_look(tables, &model->view);
    return status;
}

/* ---- the C solver's step */

/* A board: what the solver works on, and of it what a search stack keeps. */
typedef struct combgpu__no3_level {
    uint32_t words[COMBGPU__NO3_WORDS];
    int16_t need[COMBGPU__NO3_LINES]; /* points missing, by line number; 0 also for unused ones */
    uint32_t count;                   /* orbits placed */
} combgpu__no3_level;

typedef struct combgpu__no3_board {
    combgpu__no3_level now;
    uint16_t placed[COMBGPU__NO3_ORBITS];
} combgpu__no3_board;

/* Leading zeros; x is not 0. */
COMBGPU__NO3_INLINE int combgpu__no3_leading(uint32_t x)
{
#ifdef __GNUC__
    return __builtin_clz(x);
#else
    int n = 0;
    for (; !(x >> 31); x <<= 1)
        n++;
    return n;
#endif
}

/* What select found: class << 28 | line << 8 | rank of its first orbit; or SOLVED. In the two forms
   below loops run over all lines and have no branches, so that compilers turn them into vector
   code; the classes are those of the tables, as arithmetic. */

/* The array index of line i among the 16-bit halves of words in memory. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define COMBGPU__NO3_HALF(i) ((i) ^ 1)
#else
#define COMBGPU__NO3_HALF(i) (i)
#endif

COMBGPU__NO3_INLINE uint16_t combgpu__no3_count16(uint16_t v)
{
    v = (uint16_t)(v - (v >> 1 & 0x5555));
    v = (uint16_t)((v & 0x3333) + (v >> 2 & 0x3333));
    v = (uint16_t)((v + (v >> 4)) & 0x0f0f);
    return (uint16_t)((v + (v >> 8)) & 0x1f);
}

/* 16 words of two lines each, weights 1, flat classes: the full search up to n = 16. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_select_halves(const combgpu__no3_level *now)
{
    uint16_t half[32];
    int16_t key[32], best = 0x7fff;
    int i, at;
    memcpy(half, now->words, sizeof half);
    for (i = 0; i < 32; i++) {
        int16_t k = (int16_t)combgpu__no3_count16(half[i]);
        int16_t need = now->need[COMBGPU__NO3_HALF(i)];
        int16_t two = (int16_t)(k < 1 ? 0 : k > 6 ? 5 : k - 1);
        int16_t one = (int16_t)(k > 2 ? 7 : k);
        int16_t kind = (int16_t)(need == 2 ? two : one);
        key[i] = (int16_t)(need == 0 ? 0x7fff : kind << 8 | COMBGPU__NO3_HALF(i));
    }
    for (i = 0; i < 32; i++)
        best = key[i] < best ? key[i] : best;
    if (best == 0x7fff) return COMBGPU__NO3_SOLVED;
    if (best < 0x100) return 0;
    at = COMBGPU__NO3_HALF(best & 0xff);
    return (uint32_t)(best >> 8) << 28 | (uint32_t)(best & 0xff) << 8 |
           (uint32_t)(combgpu__no3_leading(half[at]) - 16);
}

COMBGPU__NO3_INLINE int32_t combgpu__no3_count32(uint32_t v)
{
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    v += v >> 8;
    return (int32_t)((v + (v >> 16)) & 0x3f);
}

/* One line a word, or two words. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_select_words(const combgpu__no3_view *view,
                                                       const combgpu__no3_level *now, int words,
                                                       int wide)
{
    int32_t key[COMBGPU__NO3_WORDS], best = 0x7fff, top = view->steep ? 6 : 5;
    const uint32_t *open;
    int i, lines = words >> wide;
    for (i = 0; i < words; i++)
        key[i] = combgpu__no3_count32(now->words[i]);
    if (view->weighted)
        for (i = 0; i < words; i++)
            key[i] += combgpu__no3_count32(now->words[i] & view->twice[i]);
    for (i = 0; i < lines; i++) {
        int32_t k = wide ? key[2 * i] + key[2 * i + 1] : key[i], need = now->need[i];
        int32_t two = k < 1 ? 0 : k - 1 > top ? top : k - 1;
        int32_t many = view->steep ? (k < 4 ? k : k < 6 ? k + 1 : 9) : 7;
        int32_t one = k > 2 ? many : k;
        key[i] = need == 0 ? 0x7fff : (need == 2 ? two : one) << 8 | i;
    }
    for (i = 0; i < lines; i++)
        best = key[i] < best ? key[i] : best;
    if (best == 0x7fff) return COMBGPU__NO3_SOLVED;
    if (best < 0x100) return 0;
    i = best & 0xff;
    open = now->words + (i << wide);
    return (uint32_t)(best >> 8) << 28 | (uint32_t)i << 8 |
           (uint32_t)(wide && !open[0] ? 32 + combgpu__no3_leading(open[1])
                                       : combgpu__no3_leading(open[0]));
}

COMBGPU__NO3_INLINE uint32_t combgpu__no3_select(const combgpu__no3_view *view,
                                                 const combgpu__no3_level *now, int words,
                                                 int split, int wide)
{
    return split ? combgpu__no3_select_halves(now)
                 : combgpu__no3_select_words(view, now, words, wide);
}

/* The orbit to place on the line that select found. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_place_of(const combgpu__no3_view *view, uint32_t key)
{
    return view->places[(key >> 8 & 255) * 64 + (key & 255)];
}

/* The number of the row that a pair of placed orbits removes. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_pair(const combgpu__no3_view *view, uint32_t p,
                                               uint32_t q, uint32_t part, int words)
{
    size_t at = ((size_t)p * view->stride + q) * view->parts + part;
    uint16_t row;
    if (words != 16) return view->pairs[at];
    memcpy(&row, (const char *)view->pairs + 2 * at, sizeof row);
    return row;
}

/* Removes an orbit. */
COMBGPU__NO3_INLINE void combgpu__no3_remove(const combgpu__no3_view *view, combgpu__no3_level *now,
                                             uint32_t orbit, int words)
{
    const uint32_t *row = view->rows + (size_t)(1 + orbit) * (size_t)words;
    int i;
    for (i = 0; i < words; i++)
        now->words[i] &= ~row[i];
}

/* Places the orbit of `place`, a word of the places table for this line. */
COMBGPU__NO3_INLINE void combgpu__no3_place(const combgpu__no3_view *view,
                                            combgpu__no3_board *board, uint32_t line,
                                            uint32_t place, int words)
{
    uint32_t orbit = place & 4095, other = place >> 12 & 127, j, need, need_other, part;
    uint32_t gone[COMBGPU__NO3_WORDS];
    const uint32_t *row, *row2;
    combgpu__no3_level *now = &board->now;
    int i;
    need = (uint32_t)now->need[line] - (place >> 19 & 3);
    now->need[line] = (int16_t)need;
    need_other = (uint32_t)now->need[other] - (place >> 21 & 3);
    now->need[other] = (int16_t)need_other;
    board->placed[now->count++] = (uint16_t)orbit;
    row = view->rows + (size_t)(view->line_rows + 3 * line + need) * (size_t)words;
    row2 = view->rows + (size_t)(view->line_rows + 3 * other + need_other) * (size_t)words;
    for (i = 0; i < words; i++)
        gone[i] = row[i] | row2[i];
    row = view->rows + (size_t)(1 + orbit) * (size_t)words;
    for (i = 0; i < words; i++)
        gone[i] |= row[i];
    for (j = 0; j < now->count; j++)
        for (part = 0; part < (words < 128 ? 1 : view->parts); part++) {
            row =
                view->rows + (size_t)combgpu__no3_pair(view, orbit, board->placed[j], part, words) *
                                 (size_t)words;
            for (i = 0; i < words; i++)
                gone[i] |= row[i];
        }
    for (i = 0; i < words; i++)
        now->words[i] &= ~gone[i];
}

/* ---- tasks

   [0, words)         the board
   [words, words + 8) for each eighth of the lines: 2 bits for what each of them needs, in order, and
                      the number of orbits placed << 24
   then the list of orbits placed, 16 bits each: number j is half (j >> 3 & 1) of word
                      8 * (j >> 4) + (j & 7), so that the kernels' lanes share them evenly

   A record is the number of orbits, then the list. */

COMBGPU__PRIVATE uint32_t combgpu__no3_list_words(int words)
{
    return words < 64 ? (uint32_t)words : 64;
}

COMBGPU__PRIVATE uint32_t combgpu__no3_task_words(int words)
{
    return (uint32_t)words + 8 + combgpu__no3_list_words(words);
}

COMBGPU__PRIVATE void combgpu__no3_put_placed(uint32_t *list, const uint16_t *placed,
                                              uint32_t count, int words)
{
    uint32_t j;
    memset(list, 0, combgpu__no3_list_words(words) * sizeof *list);
    for (j = 0; j < count; j++)
        list[8 * (j >> 4) + (j & 7)] |= (uint32_t)placed[j] << (j & 8 ? 16 : 0);
}

COMBGPU__PRIVATE void combgpu__no3_get_placed(const uint32_t *list, uint16_t *placed,
                                              uint32_t count)
{
    uint32_t j;
    for (j = 0; j < count; j++)
        placed[j] = (uint16_t)(list[8 * (j >> 4) + (j & 7)] >> (j & 8 ? 16 : 0));
}

COMBGPU__PRIVATE void combgpu__no3_put_task(uint32_t *task, const combgpu__no3_level *level,
                                            const uint16_t *placed, int words, int lines)
{
    int part, i, each = lines / 8;
    memcpy(task, level->words, (size_t)words * sizeof *task);
    for (part = 0; part < 8; part++) {
        uint32_t need = 0;
        for (i = 0; i < each; i++)
            need |= (uint32_t)level->need[part * each + i] << 2 * i;
        task[words + part] = need | level->count << 24;
    }
    combgpu__no3_put_placed(task + words + 8, placed, level->count, words);
}

COMBGPU__PRIVATE void combgpu__no3_get_task(const uint32_t *task, combgpu__no3_board *board,
                                            int words, int lines)
{
    combgpu__no3_level *now = &board->now;
    int part, i, each = lines / 8;
    memcpy(now->words, task, (size_t)words * sizeof *task);
    for (part = 0; part < 8; part++)
        for (i = 0; i < each; i++)
            now->need[part * each + i] = (int16_t)(task[words + part] >> 2 * i & 3);
    now->count = task[words] >> 24;
    combgpu__no3_get_placed(task + words + 8, board->placed, now->count);
}

/* ---- frontier */

COMBGPU__PRIVATE void combgpu__no3_empty(const combgpu__no3 *model, combgpu__no3_board *board)
{
    uint32_t orbit;
    int i;
    memset(board, 0, sizeof *board);
    for (orbit = 0; orbit < model->orbits; orbit++)
        combgpu__no3_set(model, orbit, board->now.words);
    for (i = 0; i < model->lines; i++)
        board->now.need[i] = model->line_mask[i >> 5] >> (i & 31) & 1 ? 2 : 0;
}

/* Rows and columns of the whole grid: bit i of a mask is the cell of index i. */
typedef struct combgpu__no3_grid {
    uint64_t on[2 * COMBGPU__NO3_SIDE], open[2 * COMBGPU__NO3_SIDE]; /* by 2 * index + is column */
} combgpu__no3_grid;

/* Sets or clears an orbit's cells in the masks `lines`. */
COMBGPU__PRIVATE void combgpu__no3_mark(const combgpu__no3 *model, uint32_t orbit, uint64_t *lines,
                                        int set)
{
    int i;
    for (i = 0; i < model->size[orbit]; i++) {
        int x = model->cells[orbit][i] % model->n, y = model->cells[orbit][i] / model->n;
        uint64_t to_row = UINT64_C(1) << x, to_column = UINT64_C(1) << y;
        lines[2 * y] = (lines[2 * y] & ~to_row) | (set ? to_row : 0);
        lines[2 * x + 1] = (lines[2 * x + 1] & ~to_column) | (set ? to_column : 0);
    }
}

/* Is an orbit open? It is on both of its lines, or on none. */
COMBGPU__PRIVATE int combgpu__no3_is_open(const combgpu__no3 *model, const combgpu__no3_level *now,
                                          uint32_t orbit)
{
    int word;
    uint32_t bit = combgpu__no3_bit(model, orbit, 0, &word);
    return (now->words[word] & bit) != 0;
}

/* The 32 bits of x in reverse order. */
COMBGPU__PRIVATE uint32_t combgpu__no3_reverse(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return x << 16 | x >> 16;
}

COMBGPU__PRIVATE void combgpu__no3_grid_of(const combgpu__no3 *model,
                                           const combgpu__no3_board *board, combgpu__no3_grid *grid)
{
    uint32_t orbit;
    int i;
    memset(grid, 0, sizeof *grid);
    for (orbit = 0; orbit < board->now.count; orbit++)
        combgpu__no3_mark(model, board->placed[orbit], grid->on, 1);
    if (model->group == 1) /* an orbit is a cell, its rank an index */
        for (i = 0; i < 2 * model->n; i++) {
            uint32_t word = board->now.words[model->split ? i >> 1 : i << model->wide];
            if (model->split) word = i & 1 ? word & 0xffff0000u : word << 16;
            grid->open[i] = combgpu__no3_reverse(word);
        }
    else
        for (orbit = 0; orbit < model->orbits; orbit++)
            if (combgpu__no3_is_open(model, &board->now, orbit))
                combgpu__no3_mark(model, orbit, grid->open, 1);
}

/* A mask with its cells mirrored. */
COMBGPU__PRIVATE uint64_t combgpu__no3_mirror_mask(int n, uint64_t mask)
{
    uint64_t centre = n & 1 ? mask & 1 : 0, pairs = n & 1 ? mask >> 1 : mask;
    pairs =
        (pairs & UINT64_C(0x5555555555555555)) << 1 | (pairs >> 1 & UINT64_C(0x5555555555555555));
    return n & 1 ? pairs << 1 | centre : pairs;
}

/* The highest set bit; x is not 0. */
COMBGPU__PRIVATE int combgpu__no3_highest(uint64_t x)
{
    return x >> 32 ? 63 - combgpu__no3_leading((uint32_t)(x >> 32))
                   : 31 - combgpu__no3_leading((uint32_t)x);
}

/* What the index of the first point on a line can still be: at least low, at most high. A line
   without points needs two: the first is at most its last open cell but one. */
COMBGPU__PRIVATE void combgpu__no3_interval(int n, const combgpu__no3_grid *grid, int line,
                                            int mirrored, int *low, int *high)
{
    uint64_t on = grid->on[line], open = grid->open[line];
    if (mirrored) {
        on = combgpu__no3_mirror_mask(n, on);
        open = combgpu__no3_mirror_mask(n, open);
    }
    *low = on | open ? combgpu__lowest_bit64(on | open) : 99;
    if (on)
        *high = combgpu__lowest_bit64(on);
    else {
        if (open) open &= ~(UINT64_C(1) << combgpu__no3_highest(open));
        *high = open ? combgpu__no3_highest(open) : -1;
    }
}

/* The line number k of the key below, from the centre out; with an odd side the centre is third. */
COMBGPU__PRIVATE int combgpu__no3_key_line(int n, int k)
{
    return n % 2 == 0 || k > 2 ? k : k == 2 ? 0 : k + 1;
}

/* The row or column `line` of image `map` is which one of the board, and is it read mirrored? */
COMBGPU__PRIVATE int combgpu__no3_source(int n, int map, int line, int *mirrored)
{
    int is_column = line & 1, i = line >> 1;
    if (map & (is_column ? 2 : 1)) i = combgpu__no3_mirror(n, i);
    *mirrored = (map & (is_column ? 1 : 2)) != 0;
    return 2 * i + (is_column ^ (map >> 2));
}

/* Symmetry breaking. The key of a solution: for the central half of the lines, from the centre out,
   a row, the column of the same index, the next row ..., the index of the line's first point. It is
   known early, since every line is given its most central point first. Only boards whose key is the
   smallest among their images' are kept. 0: some image's key is certainly smaller. `live` has a bit
   for each image that may still be; cells that would make an image's key smaller are removed.
   Sound at any depth; what escapes it the exact test of complete boards finds. It saves a factor
   7.6 to 8.2 of the steps. */
COMBGPU__PRIVATE int combgpu__no3_break(const combgpu__no3 *model, combgpu__no3_board *board,
                                        unsigned *live)
{
    combgpu__no3_grid grid;
    int n = model->n, map, k;
    combgpu__no3_grid_of(model, board, &grid);
    for (map = 1; map < 8; map++)
        for (k = 0; k < 2 * (n / 2) && *live >> map & 1; k++) {
            int line = 2 * combgpu__no3_key_line(n, k / 2) + (k & 1), mirrored, low, high, x;
            int from = combgpu__no3_source(n, map, line, &mirrored), own_low, own_high, own_start;
            combgpu__no3_interval(n, &grid, line, 0, &own_low, &own_high);
            combgpu__no3_interval(n, &grid, from, mirrored, &low, &high);
            own_start = own_low;
            for (x = low; x < own_start && high >= own_low; x++) {
                /* the image's first point must not come before own_low */
                int at = mirrored ? combgpu__no3_mirror(n, x) : x;
                uint32_t orbit;
                if (!(grid.open[from] >> at & 1)) continue;
                orbit = model->orbit_of[combgpu__no3_cell_on(n, from, at)];
                combgpu__no3_remove(&model->view, &board->now, orbit, model->words);
                combgpu__no3_mark(model, orbit, grid.open, 0);
            }
            combgpu__no3_interval(n, &grid, line, 0, &own_low, &own_high);
            combgpu__no3_interval(n, &grid, from, mirrored, &low, &high);
            if (high < own_low || own_low > own_high) return 0;
            if (low > own_high) *live &= ~(1u << map); /* the image's key is certainly larger */
            if (low != high || own_low != own_high || low != own_low) break;
        }
    return 1;
}

/* Pushes a board. Which of two frames it belongs to, its first two orbits say by their order. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_push(combgpu_job *job, const combgpu__no3_board *board,
                                                  uint32_t frame)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    uint32_t task[COMBGPU__NO3_WORDS + 72];
    uint16_t placed[COMBGPU__NO3_ORBITS], first = board->placed[0];
    memcpy(placed, board->placed, sizeof placed);
    if (model->given.frames == 2 && (placed[0] > placed[1]) != (int)frame) {
        placed[0] = placed[1];
        placed[1] = first;
    }
    combgpu__no3_put_task(task, &board->now, placed, model->words, model->lines);
    if (model->whole) job->frontier_count = (uint64_t)job->run.shard_index; /* keeps it */
    return combgpu__push(job, task);
}

/* A board on the way from the root to a task. */
typedef struct combgpu__no3_node {
    combgpu__no3_board board;
    uint32_t live; /* images that may have a smaller key */
    uint32_t frame;
    uint64_t hash; /* of the path, for the random order */
} combgpu__no3_node;

/* Nodes [head, tail), in the order in which they came: a task each, then live, frame and hash. */
typedef struct combgpu__no3_nodes {
    uint32_t *words;
    size_t head, tail, capacity;
} combgpu__no3_nodes;

COMBGPU__PRIVATE uint32_t *combgpu__no3_node_words(const combgpu_job *job,
                                                   const combgpu__no3_nodes *list, size_t i)
{
    return list->words + i * (job->task_words + 4);
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_add_node(combgpu_job *job, combgpu__no3_nodes *list,
                                                      const combgpu__no3_node *node)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    uint32_t *words;
    if (list->tail == list->capacity) {
        size_t waiting = list->tail - list->head, bytes = (job->task_words + 4) * sizeof *words;
        size_t capacity = waiting < 128 ? 256 : 2 * waiting;
        uint32_t *grown = (uint32_t *)combgpu__allocate(job->ctx, combgpu__bytes(capacity, bytes));
        if (!grown) return combgpu__no_memory(job->ctx, combgpu__bytes(capacity, bytes));
        if (waiting) memcpy(grown, combgpu__no3_node_words(job, list, list->head), waiting * bytes);
        combgpu__release(job->ctx, list->words);
        list->words = grown;
        list->capacity = capacity;
        list->head = 0;
        list->tail = waiting;
    }
    words = combgpu__no3_node_words(job, list, list->tail++);
    combgpu__no3_put_task(words, &node->board.now, node->board.placed, model->words, model->lines);
    words += job->task_words;
    words[0] = node->live;
    words[1] = node->frame;
    combgpu__put64(words + 2, node->hash);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__no3_get_node(const combgpu_job *job, const combgpu__no3_nodes *list,
                                            size_t i, combgpu__no3_node *node)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    const uint32_t *words = combgpu__no3_node_words(job, list, i);
    combgpu__no3_get_task(words, &node->board, model->words, model->lines);
    words += job->task_words;
    node->live = words[0];
    node->frame = words[1];
    node->hash = combgpu__get64(words + 2);
}

/* Takes a board through forced placements and all branches of one line; boards with one more orbit
   join the queue. With `split` 0, or where splitting it more would be of no use, pushes the board. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_grow(combgpu_job *job, combgpu__no3_nodes *queue,
                                                  combgpu__no3_node *node, int split)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    const combgpu__no3_view *view = &model->view;
    combgpu__no3_board *board = &node->board;
    uint32_t count = board->now.count;
    if (node->live && !combgpu__no3_break(model, board, &node->live)) return COMBGPU_OK;
    for (;;) {
        uint32_t key, place;
        key = combgpu__no3_select(view, &board->now, view->words, view->split, view->wide);
        if (key == COMBGPU__NO3_SOLVED || !split ||
            board->now.count - model->given.count[node->frame] >= (node->live ? model->deepest : 3))
            return combgpu__no3_push(job, board, node->frame);
        if (!(key >> 28)) return COMBGPU_OK;
        place = combgpu__no3_place_of(view, key);
        if (key >> 28 > 1) {
            combgpu__no3_node with = *node;
            combgpu_status status;
            if (board->now.count > count) /* another line: later */
                return combgpu__no3_add_node(job, queue, node);
            combgpu__no3_place(view, &with.board, key >> 8 & 255, place, view->words);
            status = combgpu__no3_add_node(job, queue, &with);
            if (status) return status;
            combgpu__no3_remove(view, &board->now, place & 4095, view->words);
        } else
            combgpu__no3_place(view, board, key >> 8 & 255, place, view->words);
    }
}

COMBGPU__PRIVATE void combgpu__no3_place_orbit(const combgpu__no3 *model, combgpu__no3_board *board,
                                               uint32_t orbit)
{
    uint32_t line = model->line[orbit][0];
    combgpu__no3_place(&model->view, board, line,
                       model->view.places[line * 64 + model->rank[orbit][0]], model->words);
}

/* The board of a frame with nothing but the fixed cells. 0: they do not go together. */
COMBGPU__PRIVATE int combgpu__no3_root(combgpu__no3 *model, int frame, combgpu__no3_board *board)
{
    uint32_t orbit;
    int y, j;
    combgpu__no3_empty(model, board);
    for (y = 0; y < model->n; y++) {
        uint64_t rest = model->given.off[frame][y];
        for (; rest; rest &= rest - 1) {
            orbit = combgpu__no3_orbit_at(model, combgpu__lowest_bit64(rest), y);
            if (orbit != COMBGPU__NO3_NO_ORBIT)
                combgpu__no3_remove(&model->view, &board->now, orbit, model->words);
        }
    }
    for (y = 0; y < model->n; y++) {
        uint64_t rest = model->given.on[frame][y];
        for (; rest; rest &= rest - 1) {
            orbit = combgpu__no3_orbit_at(model, combgpu__lowest_bit64(rest), y);
            for (j = 0; j < (int)board->now.count && board->placed[j] != orbit; j++) {
            }
            if (j < (int)board->now.count) continue;
            if (orbit == COMBGPU__NO3_NO_ORBIT || !combgpu__no3_is_open(model, &board->now, orbit))
                return 0;
            combgpu__no3_place_orbit(model, board, orbit);
        }
    }
    model->given.count[frame] = board->now.count;
    return 1;
}

/* The search's first nodes. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_roots(combgpu_job *job, combgpu__no3_nodes *list)
{
    combgpu__no3 *model = (combgpu__no3 *)job->state;
    combgpu_status status = COMBGPU_OK;
    combgpu__no3_node node;
    int frame;
    memset(list, 0, sizeof *list);
    for (frame = 0; frame < model->given.frames && !status; frame++) {
        if (!combgpu__no3_root(model, frame, &node.board)) continue;
        node.live = model->images & model->given.keep[frame];
        node.frame = (uint32_t)frame;
        node.hash = combgpu__mix(model->desc.seed + (uint64_t)frame);
        status = combgpu__no3_add_node(job, list, &node);
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_random_begin(combgpu_job *job);

/* Breadth first until there are model->tasks of them: more would save few steps (one more orbit on
   each board 1 to 2 %), and a search splits what is large anyway. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_frontier(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    combgpu_status status;
    combgpu__no3_node node;
    combgpu__no3_nodes queue;
    if (model->desc.seed) return combgpu__no3_random_begin(job);
    status = combgpu__no3_roots(job, &queue);
    while (!status && queue.head < queue.tail) {
        combgpu__no3_get_node(job, &queue, queue.head++, &node);
        status = combgpu__no3_grow(job, &queue, &node,
                                   queue.tail - queue.head + job->frontier_count < model->tasks);
    }
    combgpu__release(job->ctx, queue.words);
    return status;
}

/* ---- random order. The tree is cut into 2^b pieces that have about equally many tasks, of about
   COMBGPU__NO3_TASK steps each: a node with L orbits belongs to a piece if shift[L] bits of a hash
   of its path, seeded, are those of the piece's number; b is the sum of the shifts, the root's
   children use the lowest bits. So pieces that follow each other lie in different parts of the
   tree, none is searched twice, and all of them are the whole: what other searches do with
   restarts, without losing that the end of the search is a proof.

   The solutions of a piece are held back until it is done and then come in an order that the seed
   gives: the first solution does not depend on threads and slices. Held ones wait as tasks, so
   that a checkpoint has them; the step that finds each of them again is taken back. */

#ifndef COMBGPU__NO3_TASK
#define COMBGPU__NO3_TASK 200000 /* steps of a task, roughly; tests want many small pieces */
#endif
#define COMBGPU__NO3_POPULATION 64 /* tasks of a piece, roughly */

/* Adds a node's children, those with one orbit more, to `next`; *passes counts. A solution has no
   children: it is pushed if `push`. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_branch(combgpu_job *job, combgpu__no3_node *node,
                                                    combgpu__no3_nodes *next, int push,
                                                    uint64_t *passes)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    const combgpu__no3_view *view = &model->view;
    combgpu__no3_board *board = &node->board;
    uint32_t added = board->now.count - model->given.count[node->frame];
    for (;;) {
        combgpu_status status;
        combgpu__no3_node child;
        uint32_t key, place;
        if (node->live && added <= model->depth && !combgpu__no3_break(model, board, &node->live))
            return COMBGPU_OK;
        ++*passes;
        key = combgpu__no3_select(view, &board->now, view->words, view->split, view->wide);
        if (key == COMBGPU__NO3_SOLVED)
            return push ? combgpu__no3_push(job, board, node->frame) : COMBGPU_OK;
        if (!(key >> 28)) return COMBGPU_OK;
        place = combgpu__no3_place_of(view, key);
        child = *node;
        combgpu__no3_place(view, &child.board, key >> 8 & 255, place, view->words);
        child.hash = combgpu__mix(node->hash ^ (place & 4095));
        status = combgpu__no3_add_node(job, next, &child);
        if (status || key >> 28 == 1) return status;
        combgpu__no3_remove(view, &board->now, place & 4095, view->words);
    }
}

/* Makes list[0] the children of its nodes; list[1] is for use in between. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_descend(combgpu_job *job, combgpu__no3_nodes list[2],
                                                     int push, uint64_t *passes)
{
    combgpu_status status = COMBGPU_OK;
    combgpu__no3_nodes swap;
    combgpu__no3_node node;
    size_t i;
    list[1].tail = 0;
    for (i = 0; i < list[0].tail && !status; i++) {
        combgpu__no3_get_node(job, &list[0], i, &node);
        status = combgpu__no3_branch(job, &node, &list[1], push, passes);
    }
    swap = list[0], list[0] = list[1], list[1] = swap;
    return status;
}

/* Keeps the nodes whose `shift` bits of hash are the lowest of `digits`. */
COMBGPU__PRIVATE void combgpu__no3_thin(const combgpu_job *job, combgpu__no3_nodes *list, int shift,
                                        uint64_t digits)
{
    uint64_t mask = (UINT64_C(1) << shift) - 1;
    size_t i, kept = 0, words = job->task_words + 4;
    for (i = 0; i < list->tail; i++) {
        const uint32_t *from = combgpu__no3_node_words(job, list, i);
        if ((combgpu__get64(from + words - 2) ^ digits) & mask) continue;
        memmove(combgpu__no3_node_words(job, list, kept++), from, words * sizeof *from);
    }
    list->tail = kept;
}

/* Chooses shift[] and stop, the number of orbits in a task, by going down the whole tree with a
   thinned population (stratified sampling: P. C. Chen 1992). In whole numbers, so that it is the
   same on all machines. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_plan(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)job->state;
    uint64_t passes[COMBGPU__NO3_LEVELS], alive[COMBGPU__NO3_LEVELS], below = 0;
    combgpu__no3_nodes list[2];
    combgpu_status status;
    uint32_t level = 0, least;
    memset(list, 0, sizeof list);
    memset(passes, 0, sizeof passes);
    status = combgpu__no3_roots(job, &list[0]);
    while (!status && list[0].tail && level + 1 < COMBGPU__NO3_LEVELS) {
        int shift = 0;
        alive[level] = list[0].tail;
        status = combgpu__no3_descend(job, list, 0, &passes[level]);
        while (list[0].tail >> shift > COMBGPU__NO3_POPULATION)
            shift++;
        combgpu__no3_thin(job, &list[0], shift, 0);
        model->shift[++level] = (uint8_t)shift;
    }
    /* from the leaves up: the steps below the nodes that were kept */
    for (model->stop = level; level-- > 0;) {
        int shift = model->shift[level + 1];
        below = below > UINT64_MAX >> 8 >> shift ? UINT64_MAX >> 8 : below << shift;
        below += passes[level];
        if (below / COMBGPU__NO3_TASK <= alive[level]) model->stop = level;
    }
    /* not above the levels where copies are cut off, or where two orbits tell the frame */
    least = model->images ? model->depth : model->given.frames == 2 ? 2 : 0;
    while (model->stop < least)
        model->shift[++model->stop] = 0;
    combgpu__release(job->ctx, list[0].words);
    combgpu__release(job->ctx, list[1].words);
    return status;
}

/* The pieces of a job. With many of them a shard has every k-th one, with few every k-th task of
   each. */
typedef struct combgpu__no3_pieces {
    uint8_t shift[COMBGPU__NO3_LEVELS];
    uint64_t count;       /* at most 2^60: more cannot be worked in any time */
    double all;           /* in truth */
    uint64_t first, step; /* this shard's: first, first + step ... */
} combgpu__no3_pieces;

/* A GPU wants more tasks at once and has fewer, larger pieces, whose lowest levels are not cut. */
COMBGPU__PRIVATE combgpu__no3_pieces combgpu__no3_pieces_of(const combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    uint64_t merge = job->sums[COMBGPU__NO3_MERGE];
    uint64_t shards = job->run.shard_count > 1 ? (uint64_t)job->run.shard_count : 1;
    combgpu__no3_pieces pieces;
    uint32_t level;
    int sum = 0;
    memcpy(pieces.shift, model->shift, sizeof pieces.shift);
    for (level = model->stop; level > 0; level--) {
        uint64_t less = merge < pieces.shift[level] ? merge : pieces.shift[level];
        pieces.shift[level] = (uint8_t)(pieces.shift[level] - less);
        merge -= less;
        sum += pieces.shift[level];
    }
    pieces.count = UINT64_C(1) << (sum < 60 ? sum : 60);
    pieces.all = ldexp(1, sum);
    pieces.step = pieces.count / shards >= 64 ? shards : 1;
    pieces.first = pieces.step > 1 ? (uint64_t)job->run.shard_index : 0;
    return pieces;
}

/* Pushes the tasks of one piece. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_push_piece(combgpu_job *job, const uint8_t *shift,
                                                        uint64_t piece)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    combgpu__no3_nodes list[2];
    combgpu__no3_node node;
    combgpu_status status;
    uint64_t passes = 0;
    uint32_t level;
    size_t i;
    memset(list, 0, sizeof list);
    status = combgpu__no3_roots(job, &list[0]);
    for (level = 1; level <= model->stop && !status; level++) {
        status = combgpu__no3_descend(job, list, piece == 0, &passes);
        combgpu__no3_thin(job, &list[0], shift[level], piece);
        piece >>= shift[level];
    }
    for (i = 0; i < list[0].tail && !status; i++) {
        combgpu__no3_get_node(job, &list[0], i, &node);
        status = combgpu__no3_push(job, &node.board, node.frame);
    }
    combgpu__release(job->ctx, list[0].words);
    combgpu__release(job->ctx, list[1].words);
    return status;
}

/* Goes on to this shard's next piece that has tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_next_piece(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)job->state;
    combgpu__no3_pieces pieces = combgpu__no3_pieces_of(job);
    uint64_t *next = &job->sums[COMBGPU__NO3_PIECE];
    combgpu_status status = COMBGPU_OK;
    model->whole = pieces.step > 1;
    while (!status && !job->reserve_count && *next < pieces.count) {
        uint64_t after = *next > pieces.first ? *next - pieces.first : 0, piece;
        piece = pieces.first + (after + pieces.step - 1) / pieces.step * pieces.step;
        if (piece < pieces.count) status = combgpu__no3_push_piece(job, pieces.shift, piece);
        *next = piece < pieces.count ? piece + 1 : pieces.count;
    }
    return status;
}

/* This shard's pieces that have been begun. */
COMBGPU__PRIVATE uint64_t combgpu__no3_pieces_begun(const combgpu_job *job,
                                                    const combgpu__no3_pieces *pieces)
{
    uint64_t next = job->sums[COMBGPU__NO3_PIECE];
    if (next > pieces->count) next = pieces->count; /* of merged shards: the sum */
    return next > pieces->first ? (next - pieces->first + pieces->step - 1) / pieces->step : 0;
}

/* The part of the search that the tasks made so far are. */
COMBGPU__PRIVATE double combgpu__no3_begun(const combgpu_job *job)
{
    combgpu__no3_pieces pieces = combgpu__no3_pieces_of(job);
    uint64_t begun = combgpu__no3_pieces_begun(job, &pieces);
    if (job->sums[COMBGPU__NO3_PIECE] >= pieces.count) return 1;
    return (double)begun * (double)pieces.step / pieces.all;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_random_begin(combgpu_job *job)
{
    const combgpu_device *device = &job->ctx->device;
    uint64_t tasks = COMBGPU__NO3_POPULATION, merge = 0;
    if (device->is_gpu) tasks = 128 * (uint64_t)device->compute_units;
    while (tasks >> merge > COMBGPU__NO3_POPULATION)
        merge++;
    job->sums[COMBGPU__NO3_MERGE] = merge;
    return combgpu__no3_next_piece(job);
}

/* ---- the C solver */

/* Gives back a search: the stack's levels and the board, all of whose lists begin alike. */
COMBGPU__PRIVATE void combgpu__no3_give(combgpu__worker *worker, const combgpu__no3_level *stack,
                                        int top, const combgpu__no3_board *board, int words,
                                        int lines)
{
    uint32_t task[COMBGPU__NO3_WORDS + 72];
    int i;
    for (i = 0; i <= top; i++) {
        combgpu__no3_put_task(task, i < top ? &stack[i] : &board->now, board->placed, words, lines);
        combgpu__give(worker, task);
    }
}

COMBGPU__NO3_INLINE void combgpu__no3_copy(combgpu__no3_level *to, const combgpu__no3_level *from,
                                           int words, int lines)
{
    memcpy(to->words, from->words, (size_t)words * sizeof to->words[0]);
    memcpy(to->need, from->need, (size_t)lines * sizeof to->need[0]);
    to->count = from->count;
}

COMBGPU__NO3_INLINE void combgpu__no3_search(combgpu__worker *worker, const combgpu__no3_view *view,
                                             int words, int split, int wide)
{
    combgpu__no3_level stack[COMBGPU__NO3_ORBITS + 1];
    combgpu__no3_board board;
    const uint32_t *task;
    int lines = split ? 32 : words >> wide;
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, &board, words, lines);
        for (;;) {
            uint32_t key, place;
            if (combgpu__spent(worker)) {
                combgpu__no3_give(worker, stack, top, &board, words, lines);
                return;
            }
            key = combgpu__no3_select(view, &board.now, words, split, wide);
            if (key == COMBGPU__NO3_SOLVED) {
                uint32_t record[65];
                record[0] = board.now.count;
                combgpu__no3_put_placed(record + 1, board.placed, board.now.count, words);
                if (!combgpu__emit(worker, record)) {
                    combgpu__no3_give(worker, stack, top, &board, words, lines);
                    return;
                }
            }
            worker->totals[0]++;
            if (key == COMBGPU__NO3_SOLVED || !(key >> 28)) {
                if (!top) break;
                combgpu__no3_copy(&board.now, &stack[--top], words, lines);
                continue;
            }
            place = combgpu__no3_place_of(view, key);
            if (key >> 28 > 1) {
                combgpu__no3_copy(&stack[top], &board.now, words, lines);
                combgpu__no3_remove(view, &stack[top++], place & 4095, words);
            }
            combgpu__no3_place(view, &board, key >> 8 & 255, place, words);
        }
    }
}

/* A board of 16 words in one register: 2 to 3 times the steps per second of the text above. */
#if defined(COMBGPU__VECTOR) && defined(__AVX512BW__) && defined(__AVX512BITALG__) &&              \
    defined(__AVX512VPOPCNTDQ__)
#define COMBGPU__NO3_512

typedef struct combgpu__no3_level512 {
    __m512i words;
    uint32_t one, full, count; /* lines that need one point; that need none, or are unused */
} combgpu__no3_level512;

/* What stays the same: classes << 5 for `two` and `one` by what is there, 0 to 31, the line numbers,
   the places of weight 2. */
typedef struct combgpu__no3_still512 {
    __m512i two, one, line, twice;
} combgpu__no3_still512;

COMBGPU__PRIVATE void combgpu__no3_still(const combgpu__no3_view *view,
                                         combgpu__no3_still512 *still)
{
    uint16_t two[32], one[32], line[32];
    uint32_t i, nibbles[2] = {view->tables[COMBGPU__NO3_AT_TWO], view->tables[COMBGPU__NO3_AT_ONE]};
    for (i = 0; i < 32; i++) {
        uint32_t shift = 4 * (i < 7 ? i : 7);
        two[i] = (uint16_t)((nibbles[0] >> shift & 15) << 5);
        one[i] = (uint16_t)((nibbles[1] >> shift & 15) << 5);
        line[i] = (uint16_t)(view->split ? i : i >> 1);
    }
    still->two = _mm512_loadu_si512(two);
    still->one = _mm512_loadu_si512(one);
    still->line = _mm512_loadu_si512(line);
    still->twice = _mm512_loadu_si512(view->twice);
}

/* select: class << 5 | line; 0x7fff if no line needs a point. Words of 32 bits have what they can
   give in their low half, at most 31 (more says no more), and nothing in the other. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_select512(const combgpu__no3_still512 *still,
                                                    __m512i words, uint32_t one, uint32_t full,
                                                    int split)
{
    const __m512i none = _mm512_set1_epi16(0x7fff);
    __m512i key;
    __m256i half;
    if (split) {
        __m512i there = _mm512_popcnt_epi16(words);
        key = _mm512_permutexvar_epi16(there, still->two);
        key = _mm512_mask_permutexvar_epi16(key, one, there, still->one);
        key = _mm512_mask_mov_epi16(_mm512_or_si512(key, still->line), full, none);
    } else {
        __m512i there = _mm512_add_epi32(
            _mm512_popcnt_epi32(words), _mm512_popcnt_epi32(_mm512_and_si512(words, still->twice)));
        there = _mm512_min_epi32(there, _mm512_set1_epi32(31));
        key = _mm512_permutexvar_epi16(there, still->two);
        key = _mm512_mask_blend_epi32((__mmask16)one, key,
                                      _mm512_permutexvar_epi16(there, still->one));
        key = _mm512_or_si512(key, still->line);
        key = _mm512_mask_mov_epi32(key, (__mmask16)full, none);
        key = _mm512_or_si512(key, _mm512_set1_epi32(0x7fff0000));
    }
    half = _mm256_min_epu16(_mm512_castsi512_si256(key), _mm512_extracti64x4_epi64(key, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(
               _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)))) &
           0xffff;
}

COMBGPU__NO3_INLINE void combgpu__no3_board512(const combgpu__no3_level *from, int lines,
                                               combgpu__no3_level512 *to)
{
    int i;
    to->words = _mm512_loadu_si512(from->words);
    to->one = 0;
    to->full = lines < 32 ? 0xffffffffu << lines : 0;
    to->count = from->count;
    for (i = 0; i < lines; i++) {
        to->one |= (uint32_t)(from->need[i] == 1) << i;
        to->full |= (uint32_t)(from->need[i] == 0) << i;
    }
}

/* Gives back a search: the stack's levels and the board. */
COMBGPU__PRIVATE void combgpu__no3_give512(combgpu__worker *worker,
                                           const combgpu__no3_level512 *stack, int top,
                                           const combgpu__no3_level512 *now, const uint16_t *placed,
                                           int lines)
{
    uint32_t task[COMBGPU__NO3_WORDS + 72];
    int at, i;
    for (at = 0; at <= top; at++) {
        const combgpu__no3_level512 *from = at < top ? &stack[at] : now;
        combgpu__no3_level level;
        _mm512_storeu_si512(level.words, from->words);
        level.count = from->count;
        for (i = 0; i < lines; i++)
            level.need[i] = from->full >> i & 1 ? 0 : from->one >> i & 1 ? 1 : 2;
        combgpu__no3_put_task(task, &level, placed, 16, lines);
        combgpu__give(worker, task);
    }
}

/* One line's missing points become less by `weight`; returns them. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_less512(combgpu__no3_level512 *now, uint32_t line,
                                                  uint32_t weight)
{
    uint32_t bit = 1u << line, last = weight == 2 ? bit : weight ? now->one & bit : 0;
    now->full |= last;
    now->one = weight == 1 ? (now->one ^ bit) : now->one;
    return now->full & bit ? 0 : now->one & bit ? 1 : 2;
}

COMBGPU__NO3_INLINE void combgpu__no3_search512(combgpu__worker *worker,
                                                const combgpu__no3_view *view, int split)
{
    combgpu__no3_level512 stack[COMBGPU__NO3_ORBITS + 1], now;
    combgpu__no3_still512 still;
    combgpu__no3_board board;
    const uint32_t *task, *rows = view->rows;
    int lines = split ? 32 : 16;
    combgpu__no3_still(view, &still);
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, &board, 16, lines);
        combgpu__no3_board512(&board.now, lines, &now);
        for (;;) {
            uint32_t key, line, word, place, orbit, other, need, j;
            uint16_t number;
            const char *pairs;
            __m512i gone, gone2, own;
            if (combgpu__spent(worker)) {
                combgpu__no3_give512(worker, stack, top, &now, board.placed, lines);
                return;
            }
            key = combgpu__no3_select512(&still, now.words, now.one, now.full, split);
            if (key == 0x7fff) {
                uint32_t record[65];
                record[0] = now.count;
                combgpu__no3_put_placed(record + 1, board.placed, now.count, 16);
                if (!combgpu__emit(worker, record)) {
                    combgpu__no3_give512(worker, stack, top, &now, board.placed, lines);
                    return;
                }
            }
            worker->totals[0]++;
            if (key == 0x7fff || key < 0x20) {
                if (!top) break;
                now = stack[--top];
                continue;
            }
            line = key & 31;
            /* the line's word, moved to the front */
            word = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(_mm512_maskz_compress_epi32(
                (__mmask16)(1u << (split ? line >> 1 : line)), now.words)));
            if (split) word = line & 1 ? word & 0xffff0000u : word << 16;
            place = view->places[line * 64 + (uint32_t)combgpu__no3_leading(word)];
            orbit = place & 4095;
            other = place >> 12 & 127;
            own = _mm512_loadu_si512(rows + 16 * (size_t)(1 + orbit));
            if (key >= 0x40) { /* not forced */
                stack[top] = now;
                stack[top].words = _mm512_andnot_si512(own, now.words);
                top++;
            }
            need = combgpu__no3_less512(&now, line, place >> 19 & 3);
            gone = _mm512_or_si512(
                own, _mm512_loadu_si512(rows + 16 * (size_t)(view->line_rows + 3 * line + need)));
            need = combgpu__no3_less512(&now, other, place >> 21 & 3);
            gone2 = _mm512_loadu_si512(rows + 16 * (size_t)(view->line_rows + 3 * other + need));
            board.placed[now.count++] = (uint16_t)orbit;
            pairs = (const char *)view->pairs + 2 * (size_t)(orbit * view->stride);
            for (j = 0; j + 2 <= now.count; j += 2) {
                memcpy(&number, pairs + 2 * (size_t)board.placed[j], sizeof number);
                gone = _mm512_or_si512(gone, _mm512_loadu_si512(rows + 16 * (size_t)number));
                memcpy(&number, pairs + 2 * (size_t)board.placed[j + 1], sizeof number);
                gone2 = _mm512_or_si512(gone2, _mm512_loadu_si512(rows + 16 * (size_t)number));
            }
            if (j < now.count) {
                memcpy(&number, pairs + 2 * (size_t)board.placed[j], sizeof number);
                gone = _mm512_or_si512(gone, _mm512_loadu_si512(rows + 16 * (size_t)number));
            }
            now.words = _mm512_andnot_si512(_mm512_or_si512(gone, gone2), now.words);
        }
    }
}
#endif

/* The same text for formats of the board, so that sizes are constants in it. */
COMBGPU__PRIVATE void combgpu__no3_solve(combgpu__worker *worker)
{
    combgpu__no3_view view;
    combgpu__no3_look(worker->tables, &view);
#ifdef COMBGPU__NO3_512
    if (view.split)
        combgpu__no3_search512(worker, &view, 1);
    else if (view.words == 16)
        combgpu__no3_search512(worker, &view, 0);
#else
    if (view.split)
        combgpu__no3_search(worker, &view, 16, 1, 0);
    else if (view.words == 16)
        combgpu__no3_search(worker, &view, 16, 0, 0);
#endif
    else if (view.words == 32)
        combgpu__no3_search(worker, &view, 32, 0, 0);
    else if (view.wide)
        combgpu__no3_search(worker, &view, view.words, 0, 1);
    else
        combgpu__no3_search(worker, &view, view.words, 0, 0);
}

/* ---- record */

/* Is every orbit of these known to the model, were they all open when placed? Then the board they
   make goes to `board`. */
COMBGPU__PRIVATE int combgpu__no3_rebuild(const combgpu_job *job, uint32_t count,
                                          const uint32_t *list, combgpu__no3_board *board)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint32_t j;
    if (count > model->most) return 0;
    combgpu__no3_get_placed(list, placed, count);
    combgpu__no3_empty(model, board);
    for (j = 0; j < count; j++) {
        uint32_t orbit = placed[j];
        if (orbit >= model->orbits || !combgpu__no3_is_open(model, &board->now, orbit)) return 0;
        combgpu__no3_place_orbit(model, board, orbit);
    }
    return 1;
}

/* The frame of a board with these orbits. */
COMBGPU__PRIVATE int combgpu__no3_frame(const combgpu__no3 *model, const uint16_t *placed)
{
    return model->given.frames == 2 && placed[0] > placed[1];
}

/* Can a board still have the fixed cells? */
COMBGPU__PRIVATE int combgpu__no3_respects(const combgpu__no3 *model,
                                           const combgpu__no3_board *board)
{
    int frame = combgpu__no3_frame(model, board->placed), y;
    uint64_t placed[64], open[64];
    uint32_t i;
    memset(placed, 0, sizeof placed);
    memset(open, 0, sizeof open);
    for (i = 0; i < board->now.count; i++)
        combgpu__no3_add_orbit(model, board->placed[i], placed);
    for (i = 0; model->given.any && i < model->orbits; i++)
        if (combgpu__no3_is_open(model, &board->now, i)) combgpu__no3_add_orbit(model, i, open);
    for (y = 0; y < model->n; y++)
        if (model->given.on[frame][y] & ~placed[y] ||
            model->given.off[frame][y] & (placed[y] | open[y]))
            return 0;
    return 1;
}

COMBGPU__PRIVATE int combgpu__no3_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    combgpu__no3_board board;
    int i;
    if (!combgpu__no3_rebuild(job, record[0], record + 1, &board)) return 0;
    for (i = 0; i < model->lines; i++)
        if (board.now.need[i]) return 0;
    return combgpu__no3_respects(model, &board);
}

COMBGPU__PRIVATE int combgpu__no3_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    combgpu__no3_board board;
    uint32_t rebuilt[COMBGPU__NO3_WORDS + 72], orbit, words = (uint32_t)model->words, i;
    if (!combgpu__no3_rebuild(job, task[words] >> 24, task + words + 8, &board)) return 0;
    combgpu__no3_put_task(rebuilt, &board.now, board.placed, model->words, model->lines);
    for (i = 0; i < words; i++)
        if (task[i] & ~rebuilt[i]) return 0;
    for (i = words; i < words + 8; i++)
        if (task[i] != rebuilt[i]) return 0;
    /* an orbit is open on both of its lines or on none */
    for (orbit = 0; orbit < model->orbits; orbit++) {
        uint32_t row[COMBGPU__NO3_WORDS];
        int some = 0, all = 1;
        memset(row, 0, sizeof row);
        combgpu__no3_set(model, orbit, row);
        for (i = 0; i < words; i++) {
            some |= (task[i] & row[i]) != 0;
            all &= (task[i] & row[i]) == row[i];
        }
        if (some && !all) return 0;
    }
    memcpy(board.now.words, task, words * sizeof *task);
    return combgpu__no3_respects(model, &board);
}

/* The board of a record, in coordinates. */
COMBGPU__PRIVATE void combgpu__no3_rows_of(const combgpu__no3 *model, const uint32_t *record,
                                           uint64_t *rows)
{
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint32_t j;
    memset(rows, 0, 64 * sizeof *rows);
    combgpu__no3_get_placed(record + 1, placed, record[0]);
    for (j = 0; j < record[0]; j++)
        combgpu__no3_add_orbit(model, placed[j], rows);
}

/* Is a board made of whole orbits? */
COMBGPU__PRIVATE int combgpu__no3_admissible(const combgpu__no3 *model, const uint64_t *rows)
{
    uint64_t whole[64];
    int y;
    memset(whole, 0, sizeof whole);
    for (y = 0; y < model->n; y++) {
        uint64_t rest = rows[y];
        for (; rest; rest &= rest - 1) {
            uint32_t orbit = combgpu__no3_orbit_at(model, combgpu__lowest_bit64(rest), y);
            if (orbit == COMBGPU__NO3_NO_ORBIT) return 0;
            combgpu__no3_add_orbit(model, orbit, whole);
        }
    }
    return !combgpu__no3_compare(model->n, whole, rows);
}

/* The key of combgpu__no3_break, then the rows: a board is given by it. */
COMBGPU__PRIVATE void combgpu__no3_key(const combgpu__no3 *model, const uint64_t *rows,
                                       uint64_t *key)
{
    uint64_t lines[2 * COMBGPU__NO3_SIDE];
    int n = model->n, x, y, k;
    memset(lines, 0, sizeof lines);
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            if (rows[y] >> x & 1) {
                lines[2 * model->index[y]] |= UINT64_C(1) << model->index[x];
                lines[2 * model->index[x] + 1] |= UINT64_C(1) << model->index[y];
            }
    for (k = 0; k < 2 * (n / 2); k++)
        *key++ =
            (uint64_t)combgpu__lowest_bit64(lines[2 * combgpu__no3_key_line(n, k / 2) + (k & 1)]);
    for (k = 0; k < n; k++)
        *key++ = lines[2 * k];
}

/* Of a board and its images, those that this search finds too: has the board the smallest key?
   `keep`: the maps that keep the fixed cells. */
COMBGPU__PRIVATE int combgpu__no3_is_first(const combgpu__no3 *model, const uint64_t *rows,
                                           uint64_t images[8][64], unsigned keep)
{
    uint64_t own[2 * COMBGPU__NO3_SIDE], key[2 * COMBGPU__NO3_SIDE];
    int map, length = 2 * (model->n / 2) + model->n;
    combgpu__no3_key(model, rows, own);
    for (map = 1; map < 8; map++) {
        if (!(keep >> map & 1) || !combgpu__no3_admissible(model, images[map])) continue;
        combgpu__no3_key(model, images[map], key);
        if (combgpu__no3_compare(length, key, own) < 0) return 0;
    }
    return 1;
}

/* Counts a class of solutions. */
COMBGPU__PRIVATE void combgpu__no3_count(combgpu_job *job, const uint64_t *canonical,
                                         combgpu_no3_class symmetry)
{
    int n = ((const combgpu__no3 *)job->state)->n, y;
    uint64_t hash = (uint64_t)n;
    for (y = 0; y < n; y++)
        hash = combgpu__mix(hash ^ canonical[y]);
    job->sums[COMBGPU__NO3_CHECKSUM] += hash;
    job->sums[COMBGPU__NO3_CLASSES + (int)symmetry]++;
    if (symmetry == COMBGPU_NO3_NEAR_ROT4) job->sums[COMBGPU__NO3_CLASSES + COMBGPU_NO3_ROT2]++;
}

/* Shows one solution, or counts it where nobody looks. RUNNING, or FOUND or STOPPED. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_show(combgpu_job *job, const uint64_t *rows,
                                                  combgpu_no3_class symmetry)
{
    const combgpu_no3_desc *desc = &((const combgpu__no3 *)job->state)->desc;
    uint64_t calls = ++job->sums[COMBGPU__NO3_CALLS];
    int stop = desc->solution && desc->solution(rows, desc->n, symmetry, desc->solution_user);
    if (stop) return COMBGPU_STOPPED;
    return desc->limit && calls % desc->limit == 0 ? COMBGPU_FOUND : COMBGPU_RUNNING;
}

/* Has a board the fixed cells? */
COMBGPU__PRIVATE int combgpu__no3_fits(const combgpu__no3 *model, const uint64_t *rows)
{
    const combgpu__no3_given *given = &model->given;
    int y;
    for (y = 0; y < model->n; y++)
        if (given->on[0][y] & ~rows[y] || given->off[0][y] & rows[y]) return 0;
    return 1;
}

/* Is a board a solution? Asked of the board alone: the search's tables do not matter here. */
COMBGPU__PRIVATE int combgpu__no3_is_solution(int n, const uint64_t *rows)
{
    uint64_t once = 0, twice = 0;
    int x[3], y[3], i;
    for (i = 0; i < n; i++) {
        if (combgpu__popcount64(rows[i]) != 2 || twice & rows[i]) return 0;
        twice |= once & rows[i];
        once |= rows[i];
    }
    return !combgpu__no3_find_line(n, rows, x, y);
}

/* A record's board as it stands, and its images; bit `map` of *same: the image is the board.
   0: it is no solution, or it is another one's copy: *copy. */
COMBGPU__PRIVATE int combgpu__no3_board_of(const combgpu__no3 *model, const uint32_t *record,
                                           uint64_t images[8][64], unsigned *same, int *copy)
{
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint64_t rows[64];
    int frame;
    placed[0] = placed[1] = 0;
    combgpu__no3_get_placed(record + 1, placed, record[0]);
    frame = combgpu__no3_frame(model, placed);
    combgpu__no3_rows_of(model, record, rows);
    *same = combgpu__no3_images(model->n, rows, images);
    *copy = !combgpu__no3_is_first(model, rows, images, model->given.keep[frame]);
    if (*copy) return 0;
    if (frame) {
        memcpy(rows, images[model->given.turn], sizeof rows);
        *copy = combgpu__no3_admissible(model, rows); /* frame 0 has it too */
        *same = combgpu__no3_images(model->n, rows, images);
    }
    return !*copy && combgpu__no3_fits(model, rows) && combgpu__no3_is_solution(model->n, rows);
}

/* A complete board came back. Images already shown when a stop came in between are skipped. Of the
   boards that the fixed cells allow it stands for its images under the maps that keep those cells;
   the smallest allowed one of all its images stands for the class. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    uint64_t images[8][64], *shown = &job->sums[COMBGPU__NO3_IMAGE];
    const uint64_t *canonical;
    combgpu_no3_class symmetry;
    combgpu_status status = COMBGPU_RUNNING;
    unsigned same, keep = model->given.keep[0], allowed = 0;
    int map, other, first = 0, copy = 0,
                    every = model->desc.solution && model->desc.every_orientation;
    if (!combgpu__no3_adopt_record(job, record) ||
        !combgpu__no3_board_of(model, record, images, &same, &copy)) {
        if (copy) return COMBGPU_RUNNING;
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s found a board that is no solution", job->kernel.name);
    }
    for (map = 0; map < 8; map++)
        if (combgpu__no3_fits(model, images[map])) allowed |= 1u << map;
    canonical = combgpu__no3_smallest(model->n, images, allowed);
    for (map = 0; map < 8; map++)
        first |= keep >> map & 1 && !combgpu__no3_compare(model->n, images[map], canonical);
    symmetry = combgpu__no3_class(model->n, images[0], same);
    if (!*shown) {
        job->sums[COMBGPU__NO3_ALL_SUM] +=
            (uint64_t)(combgpu__popcount64(keep) / combgpu__popcount64(keep & same));
        if (first) combgpu__no3_count(job, canonical, symmetry);
    }
    for (map = *shown < 8 ? (int)*shown : 8; map < 8 && status == COMBGPU_RUNNING; map++) {
        for (other = 0; other < map; other++)
            if (keep >> other & 1 && !combgpu__no3_compare(model->n, images[map], images[other]))
                break;
        *shown = (uint64_t)map + 1;
        if (every ? keep >> map & 1 && other == map : map == 0 && first)
            status = combgpu__no3_show(job, every ? images[map] : canonical, symmetry);
    }
    if (status != COMBGPU_RUNNING && every && map < 8)
        job->pending_next--; /* it comes again when the job is stepped on */
    else
        *shown = 0;
    return status;
}

/* ---- random order: a piece's solutions wait for its end */

COMBGPU__PRIVATE int combgpu__no3_is_solved(const combgpu_job *job, const uint32_t *task)
{
    uint32_t words = (uint32_t)((const combgpu__no3 *)job->state)->words, any = 0, i;
    for (i = 0; i < words + 8; i++)
        any |= i < words ? task[i] : task[i] & 0xffffff;
    return !any;
}

/* Makes tasks of the records that wait, at the bottom of the reserve: what is taken from it in a
   slice with nothing else to do is found again at once. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_hold(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    size_t words = job->task_words, bottom = 0, i;
    uint32_t least;
    combgpu_status status = combgpu__reserve_room(job, job->pending_count);
    if (status) return status;
    while (bottom < job->reserve_count &&
           combgpu__no3_is_solved(job, job->reserve + bottom * words))
        bottom++;
    for (i = 0; i < job->pending_count; i++) {
        const uint32_t *record = job->pending + i * job->record_words;
        uint32_t *to = job->reserve + bottom++ * words;
        uint16_t placed[COMBGPU__NO3_ORBITS];
        combgpu__no3_level solved;
        if (record[0] > model->most)
            return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                                 "kernel %s found a board that is no solution", job->kernel.name);
        memset(&solved, 0, sizeof solved);
        solved.count = record[0];
        combgpu__no3_get_placed(record + 1, placed, record[0]);
        memcpy(job->reserve + job->reserve_count++ * words, to, words * sizeof *to);
        combgpu__no3_put_task(to, &solved, placed, model->words, model->lines);
        job->sums[0]--;
    }
    /* a slice must be able to take all that it is given */
    least = 2 * (uint32_t)job->pending_count + 16;
    if (job->budget < least) job->budget = least;
    for (i = 0; i < (size_t)job->share_count; i++)
        if (job->shares[i].budget < least) job->shares[i].budget = least;
    job->pending_count = 0;
    return COMBGPU_OK;
}

/* Is nothing left of a piece but solutions? Then these become records again. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_piece_done(combgpu_job *job, int *done)
{
    size_t words = job->task_words, i;
    combgpu_status status;
    *done = 0;
    if (combgpu__tasks_left(job) != job->reserve_count) return COMBGPU_OK;
    for (i = job->reserve_count; i-- > 0;)
        if (!combgpu__no3_is_solved(job, job->reserve + i * words)) return COMBGPU_OK;
    *done = 1;
    status = combgpu__pending_room(job, job->reserve_count);
    if (status) return status;
    for (i = 0; i < job->reserve_count; i++) {
        const uint32_t *task = job->reserve + i * words;
        uint32_t *record = job->pending + job->pending_count++ * job->record_words;
        size_t board = (size_t)((const combgpu__no3 *)job->state)->words;
        record[0] = task[board] >> 24;
        memcpy(record + 1, task + board + 8, (job->record_words - 1) * sizeof *record);
        job->sums[0]++;
    }
    job->reserve_count = 0;
    job->fresh_reserve = 0;
    return COMBGPU_OK;
}

/* A place in the seed's order of solutions, and the number of the record. */
typedef struct combgpu__no3_turn {
    uint64_t key;
    size_t number;
} combgpu__no3_turn;

COMBGPU__PRIVATE int combgpu__no3_compare_turns(const void *a, const void *b)
{
    uint64_t x = ((const combgpu__no3_turn *)a)->key, y = ((const combgpu__no3_turn *)b)->key;
    return x < y ? -1 : x > y;
}

/* Puts the records that wait into the seed's order. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_sort(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    size_t words = job->record_words, count = job->pending_count, i, j;
    size_t bytes = count * (sizeof(combgpu__no3_turn) + words * sizeof(uint32_t));
    combgpu__no3_turn *turns;
    uint32_t *sorted;
    if (count < 2) return COMBGPU_OK;
    turns = (combgpu__no3_turn *)combgpu__allocate(job->ctx, bytes);
    if (!turns) return combgpu__no_memory(job->ctx, bytes);
    sorted = (uint32_t *)(turns + count);
    for (i = 0; i < count; i++) {
        uint64_t key = model->desc.seed;
        for (j = 0; j < words; j++)
            key = combgpu__mix(key ^ job->pending[i * words + j]);
        turns[i].key = key;
        turns[i].number = i;
    }
    qsort(turns, count, sizeof *turns, combgpu__no3_compare_turns);
    for (i = 0; i < count; i++)
        memcpy(sorted + i * words, job->pending + turns[i].number * words, words * 4);
    memcpy(job->pending, sorted, count * words * 4);
    combgpu__release(job->ctx, turns);
    return COMBGPU_OK;
}

/* Holds back what a piece has found until it is done, and then brings the next piece. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_slice_done(combgpu_job *job,
                                                        const combgpu__share *share)
{
    combgpu_status status;
    int done = 0;
    (void)share;
    if (!((const combgpu__no3 *)job->state)->desc.seed) return COMBGPU_OK;
    status = combgpu__pending_room(job, 0); /* now they begin at pending[0] */
    if (!status) status = combgpu__no3_piece_done(job, &done);
    if (status || !done) return status ? status : combgpu__no3_hold(job);
    status = combgpu__no3_sort(job);
    return status ? status : combgpu__no3_next_piece(job);
}

COMBGPU__PRIVATE uint64_t combgpu__no3_solutions(const combgpu_job *job)
{
    uint64_t sum = 0;
    int i;
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        if (i != COMBGPU_NO3_NEAR_ROT4) sum += job->sums[COMBGPU__NO3_CLASSES + i];
    return sum;
}

static const combgpu__problem combgpu__no3_problem = {
    "no3", combgpu__no3_frontier,  combgpu__no3_record,     combgpu__no3_slice_done,
    NULL,  combgpu__no3_solutions, combgpu__no3_adopt_task, combgpu__no3_adopt_record,
    NULL};

/* ---- begin, end, one-shot */

/* The number of orbits on a board up to which a search in random order cuts off copies. */
COMBGPU__PRIVATE uint32_t combgpu__no3_depth(const combgpu__no3 *model)
{
    if (model->group != 1) return model->n <= 24 ? 4 : 3;
    return model->n <= 14 ? 6 : model->n <= 18 ? 5 : model->n <= 24 ? 4 : 3;
}

/* Copies the fixed cells into the model, turned for each frame. */
COMBGPU__PRIVATE void combgpu__no3_give_cells(combgpu__no3 *model, const combgpu_no3_desc *desc)
{
    combgpu__no3_given *given = &model->given;
    unsigned swaps = desc->symmetry == COMBGPU_NO3_ORT1                       ? 0xf0u
                     : desc->symmetry == COMBGPU_NO3_DIA1                     ? 0x66u
                     : desc->symmetry == COMBGPU_NO3_NEAR_ROT4 && desc->n % 2 ? 0x66u
                                                                              : 0;
    uint64_t image[2][64];
    int frame, map, y;
    model->desc.on = model->desc.off = NULL; /* the caller's may go */
    for (y = 0; y < desc->n; y++) {
        if (desc->on) given->on[0][y] = desc->on[y];
        if (desc->off) given->off[0][y] = desc->off[y];
        given->any |= given->on[0][y] || given->off[0][y];
    }
    given->turn = desc->symmetry == COMBGPU_NO3_ORT1 ? 4 : 1;
    combgpu__no3_image(desc->n, given->turn, given->on[0], given->on[1]);
    combgpu__no3_image(desc->n, given->turn, given->off[0], given->off[1]);
    for (frame = 0; frame < 2; frame++)
        for (map = 0; map < 8; map++) {
            combgpu__no3_image(desc->n, map, given->on[frame], image[0]);
            combgpu__no3_image(desc->n, map, given->off[frame], image[1]);
            if (!combgpu__no3_compare(desc->n, image[0], given->on[frame]) &&
                !combgpu__no3_compare(desc->n, image[1], given->off[frame]))
                given->keep[frame] |= 1u << map;
        }
    /* a map that keeps the cells and swaps the frames: whatever is in one is in the other */
    given->frames = swaps && !(given->keep[0] & swaps) ? 2 : 1;
}

/* What fixed cells and the random order add to the job's identity. */
COMBGPU__PRIVATE void combgpu__no3_name_job(combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    const combgpu__no3_given *given = &model->given;
    size_t at = strlen(job->parameters);
    if (given->any) {
        uint64_t hash = COMBGPU__FNV_OFFSET;
        int y, bit;
        for (y = 0; y < 2 * model->n; y++)
            for (bit = 0; bit < 64; bit += 8) {
                unsigned char byte = (unsigned char)((y < model->n ? given->on[0][y]
                                                                   : given->off[0][y - model->n]) >>
                                                     bit);
                hash = combgpu__fnv(hash, &byte, 1);
            }
        at += (size_t)snprintf(job->parameters + at, sizeof job->parameters - at, " fixed %016llx",
                               (unsigned long long)hash);
    }
    if (model->desc.seed)
        snprintf(job->parameters + at, sizeof job->parameters - at, " seed %llu",
                 (unsigned long long)model->desc.seed);
}

COMBGPU__PRIVATE void combgpu__no3_make_model(combgpu__no3 *model, const combgpu_no3_desc *desc,
                                              int least_words)
{
    int n = desc->n, i, at = 0, distance;
    model->desc = *desc;
    model->n = n;
    for (distance = 0; distance < n; distance++)
        for (i = 0; i < n; i++)
            if (2 * i - (n - 1) == distance || 2 * i - (n - 1) == -distance) {
                model->coordinate[at] = i;
                model->index[i] = at++;
            }
    model->group = combgpu__no3_group(desc->symmetry);
    model->near = desc->symmetry == COMBGPU_NO3_NEAR_ROT4;
    combgpu__no3_make_orbits(model);
    combgpu__no3_find_images(model);
    combgpu__no3_make_lines(model, least_words);
    model->depth = combgpu__no3_depth(model);
    combgpu__no3_give_cells(model, desc);
    model->deepest = model->group == 1 ? 8 : 5;
    model->tasks = model->group != 1 ? 16384
                   : n < 13          ? 4096
                   : n < 15          ? 16384
                   : n < 16          ? 65536
                                     : 131072;
}

/* combgpu_no3_begin with a board of at least `least_words` words. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_begin(combgpu_context *ctx,
                                                   const combgpu_no3_desc *desc, int least_words,
                                                   combgpu_job **out)
{
    static const struct {
        int words, wide, lanes;
        const char *name;
    } kernels[] = {
        {16, 0, 4, "combgpu_no3_search_16"},     {32, 0, 4, "combgpu_no3_search_32"},
        {48, 0, 4, "combgpu_no3_search_48"},     {48, 1, 4, "combgpu_no3_search_48w"},
        {64, 0, 8, "combgpu_no3_search_64"},     {64, 1, 8, "combgpu_no3_search_64w"},
        {128, 1, 16, "combgpu_no3_search_128w"}, {192, 1, 16, "combgpu_no3_search_192w"}};
    static const char *const matrices[2][2] = {
        {"combgpu_no3_search_20", "combgpu_no3_search_24"},
        {"combgpu_no3_search_20f", "combgpu_no3_search_24f"}};
    int i;
    combgpu_job *job;
    combgpu__no3 *model;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", out ? "desc" : "job");
    *out = NULL;
    status = combgpu__no3_validate(ctx, desc);
    if (!status)
        status = combgpu__job_create(ctx, &combgpu__no3_problem, sizeof *model, &desc->run, &job);
    if (status) return status;
    model = (combgpu__no3 *)job->state;
    combgpu__no3_make_model(model, desc, least_words);
    for (i = 0; kernels[i].words != model->words || kernels[i].wide != model->wide;)
        i++;
    job->kernel.name = kernels[i].name;
    job->kernel.lanes_per_worker = kernels[i].lanes;
    if (model->matrix) job->kernel.name = matrices[model->wide][model->matrix - 5];
    job->kernel.part = "NO3";
    job->kernel.solve = combgpu__no3_solve;
    job->kernel.lanes_per_block = 128;
    job->kernel.left_per_worker = (int)model->most + 2;
    job->kernel.first_budget = 1000;
    job->task_words = combgpu__no3_task_words(model->words);
    job->record_words = combgpu__no3_list_words(model->words) + 1;
    job->record_capacity = 16384;
    job->records_repeat = 1;
    job->work_bytes_per_worker = ((size_t)model->most + 1) * ((size_t)model->words + 16) * 4;
    job->memory_aim = UINT64_C(960) << 20;
    if (model->solo) {
        job->kernel.name = model->split ? "combgpu_no3_search_solo" : "combgpu_no3_search_solo17";
        job->kernel.lanes_per_worker = 1;
        job->left_on_device = COMBGPU__NO3_SOLO_LEVELS + 1;
        job->work_bytes_per_worker =
            COMBGPU__NO3_SOLO_LEVELS * COMBGPU__NO3_SOLO_LEVEL * sizeof(uint32_t);
    }
    snprintf(job->parameters, sizeof job->parameters, "n %d symmetry %s board %d%s order 2",
             desc->n, combgpu_no3_class_string(desc->symmetry), model->words,
             model->wide ? "w" : "");
    combgpu__no3_name_job(job);
    if (desc->seed) job->begun = combgpu__no3_begun;
    status = combgpu__no3_make_tables(job);
    if (!status && desc->seed) status = combgpu__no3_plan(job);
    if (!status) status = combgpu__job_start(job);
    return combgpu__job_begun(job, status, out);
}

COMBGPU__DEF combgpu_status combgpu_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                              combgpu_job **job)
{
    return combgpu__no3_begin(ctx, desc, 0, job);
}

COMBGPU__DEF combgpu_status combgpu_no3_end(combgpu_job *job, combgpu_no3_result *result)
{
    combgpu_status status;
    int i;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, job->problem == &combgpu__no3_problem, "combgpu_no3_begin");
    if (status) return status;
    if (!result) {
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
        combgpu_job_cancel(job);
        return status;
    }
    memset(result, 0, sizeof *result);
    result->all = job->sums[COMBGPU__NO3_ALL_SUM];
    result->up_to_symmetry = combgpu__no3_solutions(job);
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++)
        result->classes[i] = job->sums[COMBGPU__NO3_CLASSES + i];
    if (((const combgpu__no3 *)job->state)->desc.seed) {
        combgpu__no3_pieces pieces = combgpu__no3_pieces_of(job);
        result->restarts = combgpu__no3_pieces_begun(job, &pieces);
    }
    return combgpu__job_ended(job, job->sums[COMBGPU__NO3_CHECKSUM], &result->run);
}

COMBGPU__DEF combgpu_status combgpu_no3(combgpu_context *ctx, const combgpu_no3_desc *desc,
                                        combgpu_no3_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!result) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    status = combgpu_no3_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_no3_end(job, result);
}

/* ---- helpers */

COMBGPU__DEF const char *combgpu_no3_class_string(combgpu_no3_class symmetry)
{
    static const char *const names[COMBGPU_NO3_CLASS_COUNT] = {
        "all", "iden", "dia1", "ort1", "rot2", "near_rot4", "dia2", "rot4", "ort2", "full"};
    if ((int)symmetry < 0 || symmetry >= COMBGPU_NO3_CLASS_COUNT) return "unknown class";
    return names[symmetry];
}

/* Checks the side and that all points lie inside. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_check_board(combgpu_context *ctx, int n,
                                                         const uint64_t *rows)
{
    int y;
    if (ctx) ctx->message[0] = 0;
    if (n < 1 || n > 64)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to 64", n);
    if (!rows) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "rows is NULL");
    for (y = 0; y < n; y++)
        if (n < 64 && rows[y] >> n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "rows[%d] has a point in column %d; with n = %d columns are 0 "
                                 "to %d",
                                 y, n + combgpu__lowest_bit64(rows[y] >> n), n, n - 1);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_check(combgpu_context *ctx, int n, const uint64_t *rows,
                                              combgpu_no3_report *report)
{
    uint64_t images[8][64];
    combgpu_status status = combgpu__no3_check_board(ctx, n, rows);
    int i;
    if (status) return status;
    if (!report) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "report is NULL");
    memset(report, 0, sizeof *report);
    report->bad_row = report->bad_column = -1;
    report->symmetry = combgpu__no3_class(n, rows, combgpu__no3_images(n, rows, images));
    for (i = n - 1; i >= 0; i--) {
        report->points += combgpu__popcount64(rows[i]);
        if (combgpu__popcount64(rows[i]) != 2) report->bad_row = i;
        if (combgpu__popcount64(images[4][i]) != 2) report->bad_column = i;
    }
    report->has_line = combgpu__no3_find_line(n, rows, report->line_x, report->line_y);
    report->is_solution = report->bad_row < 0 && report->bad_column < 0 && !report->has_line;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_canonical(combgpu_context *ctx, int n, const uint64_t *rows,
                                                  uint64_t *out)
{
    uint64_t images[8][64];
    combgpu_status status = combgpu__no3_check_board(ctx, n, rows);
    if (status) return status;
    if (!out) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "out is NULL");
    combgpu__no3_images(n, rows, images);
    memcpy(out, combgpu__no3_smallest(n, images, 0xff), (size_t)n * sizeof *out);
    return COMBGPU_OK;
}

/* Text into a caller's buffer: counts what does not fit. */
typedef struct combgpu__no3_text {
    char *text;
    size_t bytes, length, line; /* line: where the last one begins */
} combgpu__no3_text;

/* Checks the board of a text, too. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_put_begin(combgpu_context *ctx, int n,
                                                       const uint64_t *rows, char *text,
                                                       size_t bytes, combgpu__no3_text *out)
{
    memset(out, 0, sizeof *out);
    out->text = text;
    out->bytes = text ? bytes : 0;
    return combgpu__no3_check_board(ctx, n, rows);
}

COMBGPU__PRIVATE void combgpu__no3_put(combgpu__no3_text *out, const char *format, ...)
    COMBGPU__PRINTF(2, 3);
COMBGPU__PRIVATE void combgpu__no3_put(combgpu__no3_text *out, const char *format, ...)
{
    int fits = out->length < out->bytes;
    va_list args;
    va_start(args, format);
    out->length += (size_t)vsnprintf(fits ? out->text + out->length : NULL,
                                     fits ? out->bytes - out->length : 0, format, args);
    va_end(args);
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_put_end(combgpu_context *ctx,
                                                     const combgpu__no3_text *out, size_t *needed)
{
    size_t size = out->length + 1;
    if (needed) *needed = size;
    if (out->bytes >= size || (!out->text && needed)) return COMBGPU_OK;
    if (out->bytes) out->text[0] = 0;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "bytes is %llu; this text needs %llu",
                         (unsigned long long)out->bytes, (unsigned long long)size);
}

/* A run of an RLE text; lines stay within 70 characters. */
COMBGPU__PRIVATE void combgpu__no3_put_run(combgpu__no3_text *out, int count, char tag)
{
    char piece[16];
    const char *run = count > 1 ? piece : piece + 1;
    if (!count) return;
    snprintf(piece, sizeof piece, "%d%c", count, tag);
    if (out->length - out->line + strlen(run) > 70) {
        combgpu__no3_put(out, "\n");
        out->line = out->length;
    }
    combgpu__no3_put(out, "%s", run);
}

COMBGPU__DEF combgpu_status combgpu_no3_to_rle(combgpu_context *ctx, int n, const uint64_t *rows,
                                               char *text, size_t bytes, size_t *needed)
{
    combgpu__no3_text out;
    int y, ends = 0;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    combgpu__no3_put(&out, "x = %d, y = %d\n", n, n);
    out.line = out.length;
    for (y = 0; y < n; y++, ends++) {
        uint64_t rest = rows[y]; /* trailing empty cells are left out */
        while (rest) {
            int run = 0, point = (int)(rest & 1);
            for (; rest && (int)(rest & 1) == point; rest >>= 1)
                run++;
            combgpu__no3_put_run(&out, ends, '$');
            combgpu__no3_put_run(&out, run, point ? 'o' : 'b');
            ends = 0;
        }
    }
    combgpu__no3_put_run(&out, 1, '!');
    combgpu__no3_put(&out, "\n");
    return combgpu__no3_put_end(ctx, &out, needed);
}

/* Moves past spaces, `word`, spaces. 0 if the word is not there. */
COMBGPU__PRIVATE int combgpu__no3_read_spaced(combgpu__reader *reader, const char *word)
{
    while (combgpu__read_word(reader, " ")) {
    }
    if (!combgpu__read_word(reader, word)) return 0;
    while (combgpu__read_word(reader, " ")) {
    }
    return 1;
}

/* Reads "NAME = NUMBER" with any spaces. 0 if it is not there or is not 1 to 64. */
COMBGPU__PRIVATE int combgpu__no3_read_side(combgpu__reader *reader, const char *name, int *side)
{
    uint64_t value;
    if (!combgpu__no3_read_spaced(reader, name) || !combgpu__no3_read_spaced(reader, "=") ||
        !combgpu__read_number(reader, 10, &value) || value < 1 || value > 64)
        return 0;
    *side = (int)value;
    return combgpu__no3_read_spaced(reader, "");
}

/* Moves past the rest of a line. */
COMBGPU__PRIVATE void combgpu__no3_skip_line(combgpu__reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    combgpu__read_word(reader, "\n");
}

/* The pattern after the header. Returns NULL, or why it is wrong. */
COMBGPU__PRIVATE const char *combgpu__no3_read_pattern(combgpu__reader *reader, int n,
                                                       uint64_t *rows)
{
    int x = 0, y = 0;
    while (reader->at < reader->end) {
        uint64_t count = 1;
        char c = *reader->at;
        if (c == ' ' || c == '\t' || c == '\r') {
            reader->at++;
            continue;
        }
        if (combgpu__read_word(reader, "\n")) continue;
        if (c >= '0' && c <= '9') {
            if (!combgpu__read_number(reader, 10, &count) || count < 1 || count > 64)
                return "a run is 1 to 64 long";
            if (reader->at == reader->end) return "a number without b, o or $ after it";
            c = *reader->at;
        }
        reader->at++;
        if (c == '!') return NULL;
        if (c == '$') {
            x = 0;
            y += (int)count;
            if (y > n) return "more rows than the header says";
        } else if (c == 'b' || c == 'o') {
            if (x + (int)count > n) return "a row is longer than the header says";
            if (y >= n) return "more rows than the header says";
            for (; count; count--, x++)
                if (c == 'o') rows[y] |= UINT64_C(1) << x;
        } else
            return "a character other than b, o, $, ! and digits";
    }
    return "the text ends without !";
}

/* Is there a place for all that reading a board gives? */
COMBGPU__PRIVATE combgpu_status combgpu__no3_check_reading(combgpu_context *ctx, const char *text,
                                                           const int *n, const uint64_t *rows)
{
    const char *missing = !text ? "text" : !n ? "n" : !rows ? "rows" : NULL;
    if (ctx) ctx->message[0] = 0;
    if (!missing) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", missing);
}

COMBGPU__DEF combgpu_status combgpu_no3_from_rle(combgpu_context *ctx, const char *text,
                                                 size_t bytes, int *n, uint64_t *rows)
{
    combgpu__reader reader;
    const char *wrong;
    int width = 0, height = 0;
    combgpu_status status = combgpu__no3_check_reading(ctx, text, n, rows);
    if (status) return status;
    reader.at = text;
    reader.end = text + bytes;
    reader.line = 1;
    while (reader.at < reader.end &&
           (*reader.at == '#' || *reader.at == '\n' || *reader.at == '\r'))
        combgpu__no3_skip_line(&reader);
    if (!combgpu__no3_read_side(&reader, "x", &width) || !combgpu__read_word(&reader, ",") ||
        !combgpu__no3_read_side(&reader, "y", &height))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: expected a header \"x = N, y = N\" with N from 1 to 64",
                             reader.line);
    if (width != height)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: the pattern is %d x %d; a board is square", reader.line,
                             width, height);
    combgpu__no3_skip_line(&reader); /* a rule may follow */
    memset(rows, 0, 64 * sizeof *rows);
    wrong = combgpu__no3_read_pattern(&reader, width, rows);
    if (wrong) return combgpu__fail(ctx, COMBGPU_BAD_FILE, "line %d: %s", reader.line, wrong);
    *n = width;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_no3_draw(combgpu_context *ctx, int n, const uint64_t *rows,
                                             char *text, size_t bytes, size_t *needed)
{
    combgpu__no3_text out;
    int x, y;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            combgpu__no3_put(&out, "%c%c", rows[y] >> x & 1 ? 'o' : '.', x < n - 1 ? ' ' : '\n');
    return combgpu__no3_put_end(ctx, &out, needed);
}

/* ---- Flammenkamp's code */

static const char combgpu__no3_columns[65] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$";
static const char combgpu__no3_signs[COMBGPU_NO3_CLASS_COUNT + 1] = " ./-:cxo+*"; /* by class */

COMBGPU__DEF combgpu_status combgpu_no3_to_flammenkamp(combgpu_context *ctx, int n,
                                                       const uint64_t *rows, char *text,
                                                       size_t bytes, size_t *needed)
{
    uint64_t images[8][64];
    combgpu__no3_text out;
    int y;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    for (y = 0; y < n; y++)
        if (combgpu__popcount64(rows[y]) != 2)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "rows[%d] has %d points; this format is for boards with two in "
                                 "each row",
                                 y, combgpu__popcount64(rows[y]));
    combgpu__no3_put(
        &out, "%c",
        combgpu__no3_signs[combgpu__no3_class(n, rows, combgpu__no3_images(n, rows, images))]);
    for (y = 0; y < n; y++)
        combgpu__no3_put(&out, "%c%c", combgpu__no3_columns[combgpu__lowest_bit64(rows[y])],
                         combgpu__no3_columns[combgpu__lowest_bit64(rows[y] & (rows[y] - 1))]);
    return combgpu__no3_put_end(ctx, &out, needed);
}

COMBGPU__DEF combgpu_status combgpu_no3_from_flammenkamp(combgpu_context *ctx, const char *text,
                                                         size_t bytes, int *n, uint64_t *rows,
                                                         combgpu_no3_class *symmetry, size_t *used)
{
    const char *at = text, *end = text ? text + bytes : NULL, *stop, *sign;
    int line = 1, side, i;
    combgpu_status status = combgpu__no3_check_reading(ctx, text, n, rows);
    if (status) return status;
    for (; at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'); at++)
        line += *at == '\n';
    for (stop = at; stop < end && *stop != '\n'; stop++) {
    }
    if (used) *used = (size_t)(stop - text) + (stop < end);
    while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
        stop--;
    sign = at < stop && *at ? strchr(combgpu__no3_signs + 1, *at) : NULL;
    if (!sign)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             at < stop
                                 ? "line %d: it does not begin with one of %s"
                                 : "line %d: there is no board (its code begins with one of %s)",
                             line, combgpu__no3_signs + 1);
    side = (int)((stop - ++at) / 2 > 65 ? 65 : (stop - at) / 2);
    if (side < 1 || side > 64 || (stop - at) % 2)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "line %d: %llu characters after the class; there are two for each of "
                             "1 to 64 rows",
                             line, (unsigned long long)(stop - at));
    memset(rows, 0, 64 * sizeof *rows);
    for (i = 0; i < 2 * side; i++) {
        const char *column = at[i] ? strchr(combgpu__no3_columns, at[i]) : NULL;
        int x = column ? (int)(column - combgpu__no3_columns) : 64;
        if (x >= side || rows[i / 2] >> x & 1)
            return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                                 x >= side ? "line %d, row %d: a character that is no column of %d"
                                           : "line %d, row %d: column %d twice",
                                 line, i / 2, x >= side ? side : x);
        rows[i / 2] |= UINT64_C(1) << x;
    }
    *n = side;
    if (symmetry) *symmetry = (combgpu_no3_class)(sign - combgpu__no3_signs);
    return COMBGPU_OK;
}

/* ---- SVG */

#define COMBGPU__NO3_SVG_CELL 20 /* from one point of the grid to the next */

/* Text between tags: what XML needs escaped, and no control characters. */
COMBGPU__PRIVATE void combgpu__no3_put_xml(combgpu__no3_text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            combgpu__no3_put(out, "&%s;", *text == '<' ? "lt" : *text == '>' ? "gt" : "amp");
        else
            combgpu__no3_put(out, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
}

COMBGPU__PRIVATE void combgpu__no3_put_disc(combgpu__no3_text *out, int x, int y, int top)
{
    combgpu__no3_put(out, "<circle cx='%d' cy='%d' r='7'/>\n", COMBGPU__NO3_SVG_CELL * (x + 1),
                     top + COMBGPU__NO3_SVG_CELL * (y + 1));
}

COMBGPU__DEF combgpu_status combgpu_no3_to_svg(combgpu_context *ctx, int n, const uint64_t *rows,
                                               const char *title, char *text, size_t bytes,
                                               size_t *needed)
{
    const int cell = COMBGPU__NO3_SVG_CELL, top = title && *title ? 32 : 0;
    int side, line_x[3], line_y[3], i, x, y;
    combgpu__no3_text out;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    side = cell * (n + 1);
    combgpu__no3_put(
        &out,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n",
        side, side + top, side, side + top);
    if (top) {
        combgpu__no3_put(&out, "<title>");
        combgpu__no3_put_xml(&out, title);
        combgpu__no3_put(&out, "</title>\n");
    }
    combgpu__no3_put(&out, "<rect width='100%%' height='100%%' fill='#fff'/>\n");
    if (top) {
        combgpu__no3_put(&out,
                         "<text x='%d' y='26' text-anchor='middle' font-family='sans-serif' "
                         "font-size='14' fill='#222'>",
                         side / 2);
        combgpu__no3_put_xml(&out, title);
        combgpu__no3_put(&out, "</text>\n");
    }
    combgpu__no3_put(&out, "<path stroke='#c8ccd2' d='");
    for (i = 1; i <= n; i++)
        combgpu__no3_put(&out, "M%d %dH%dM%d %dV%d", cell, top + cell * i, cell * n, cell * i,
                         top + cell, top + cell * n);
    combgpu__no3_put(&out, "'/>\n<g fill='#1f4e9c'>\n");
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            if (rows[y] >> x & 1) combgpu__no3_put_disc(&out, x, y, top);
    combgpu__no3_put(&out, "</g>\n");
    if (combgpu__no3_find_line(n, rows, line_x, line_y)) {
        combgpu__no3_put(
            &out,
            "<g fill='#d03030'>\n<path stroke='#d03030' stroke-width='2' d='M%d %dL%d %d'/>\n",
            cell * (line_x[0] + 1), top + cell * (line_y[0] + 1), cell * (line_x[2] + 1),
            top + cell * (line_y[2] + 1));
        for (i = 0; i < 3; i++)
            combgpu__no3_put_disc(&out, line_x[i], line_y[i], top);
        combgpu__no3_put(&out, "</g>\n");
    }
    combgpu__no3_put(&out, "</svg>\n");
    return combgpu__no3_put_end(ctx, &out, needed);
}

/* ---- self-test: each kernel, with weights and without */

COMBGPU__PRIVATE combgpu_status combgpu__no3_self_test(combgpu_context *ctx)
{
    static const struct {
        int n;
        combgpu_no3_class symmetry;
        uint64_t all, up_to_symmetry, checksum;
    } known[] = {{8, COMBGPU_NO3_ALL, 380, 57, UINT64_C(0xa2802a9cf6b5fcbb)},
                 {18, COMBGPU_NO3_ROT4, 14, 7, UINT64_C(0x51bd9a1cbdcc0c1f)},
                 {6, COMBGPU_NO3_ALL, 50, 11, UINT64_C(0x199d8d44e3e7e4e3)}};
    static const int sizes[] = {0, 0, 32, 48, 49, 64, 65, 128, 192};
    size_t t;
    for (t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        combgpu_job *job;
        combgpu_status status;
        const char *kernel;
        size_t i = t < 2 ? t : 2;
        memset(&desc, 0, sizeof desc);
        desc.n = known[i].n;
        desc.symmetry = known[i].symmetry;
        status = combgpu__no3_begin(ctx, &desc, sizes[t], &job);
        if (status) return status;
        kernel = job->kernel.name;
        combgpu__run(job);
        status = combgpu_no3_end(job, &result);
        if (status) return status;
        if (result.all != known[i].all || result.up_to_symmetry != known[i].up_to_symmetry ||
            result.run.checksum != known[i].checksum)
            return combgpu__fail(
                ctx, COMBGPU_WRONG_RESULT,
                "kernel %s, n = %d, %s: %llu solutions, %llu up to "
                "symmetry, checksum %llx; expected %llu, %llu, %llx",
                kernel, known[i].n, combgpu_no3_class_string(known[i].symmetry),
                (unsigned long long)result.all, (unsigned long long)result.up_to_symmetry,
                (unsigned long long)result.run.checksum, (unsigned long long)known[i].all,
                (unsigned long long)known[i].up_to_symmetry, (unsigned long long)known[i].checksum);
    }
    return COMBGPU_OK;
}

/* (end of SECTION 30) */

/* ================================================================= SECTION 40: permutations == */
/* Single permutations: rank, next, random and so on; then how the CPU writes many of them. What is
   done with a range of them is in SECTION 42.

   Many are made in *groups*: the 720 = 6! permutations that differ in the last six places only. One
   group is another with its values substituted, so the order of the places is the same table for all
   of them. */

#define COMBGPU__PERM_MAX 20    /* n: 20! is the last that fits 64 bits */
#define COMBGPU__PERM_MAX128 34 /* n: 34! is the last that fits 128 bits */
#define COMBGPU__PERM_MOST 64   /* places of any family's members, and their values */
#define COMBGPU__PERM_PLACES 6  /* the last places, which a group runs through */
#define COMBGPU__PERM_GROUP 720 /* their orders */
#define COMBGPU__PERM_NO_RANK UINT64_MAX

/* ---- ranks */

/* x * factor + more, if that is below 2^128. */
COMBGPU__PRIVATE combgpu_u128 combgpu__u128_times(combgpu_u128 x, uint32_t factor, uint32_t more)
{
    uint64_t low = (x.lo & 0xffffffffu) * factor + more;
    uint64_t high = (x.lo >> 32) * factor + (low >> 32);
    x.lo = high << 32 | (low & 0xffffffffu);
    x.hi = x.hi * factor + (high >> 32);
    return x;
}

COMBGPU__PRIVATE int combgpu__u128_less(combgpu_u128 a, combgpu_u128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

COMBGPU__DEF combgpu_u128 combgpu_factorial(int n)
{
    combgpu_u128 x = {0, 0};
    int i;
    if (n < 0 || n > COMBGPU__PERM_MAX128) return x;
    x.lo = 1;
    for (i = 2; i <= n; i++)
        x = combgpu__u128_times(x, (uint32_t)i, 0);
    return x;
}

/* n, and a pointer that must not be NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_check_n(combgpu_context *ctx, int n, int most,
                                                      const char *name, const void *pointer)
{
    if (n < 1 || n > most)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", n, most);
    return pointer ? COMBGPU_OK : combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", name);
}

/* n, the elements of the permutation `name`, and where the result goes. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_check(combgpu_context *ctx, int n, int most,
                                                    const char *name, const uint8_t *perm,
                                                    const char *out_name, const void *out)
{
    uint64_t seen = 0;
    int i;
    combgpu_status status = combgpu__perm_check_n(ctx, n, most, name, perm);
    if (!status) status = combgpu__perm_check_n(ctx, n, most, out_name, out);
    for (i = 0; i < n && !status; i++) {
        if (perm[i] >= n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "%s[%d] is %d; with n = %d it may be 0 to %d", name, i, perm[i], n,
                                 n - 1);
        if (seen >> perm[i] & 1)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "%s[%d] is %d, which is there before: not a permutation", name, i,
                                 perm[i]);
        seen |= UINT64_C(1) << perm[i];
    }
    return status;
}

/* The Lehmer digits of a permutation: how many later elements are smaller. */
COMBGPU__PRIVATE void combgpu__perm_digits(int n, const uint8_t *perm, uint8_t *digits)
{
    uint64_t unused = ~UINT64_C(0);
    int i;
    for (i = 0; i < n; i++) {
        uint64_t bit = UINT64_C(1) << perm[i];
        digits[i] = (uint8_t)combgpu__popcount64(unused & (bit - 1));
        unused &= ~bit;
    }
}

/* Digits, digits[i] < n - i, to elements, in place. */
COMBGPU__PRIVATE void combgpu__perm_elements(int n, uint8_t *perm)
{
    uint8_t left[COMBGPU__PERM_MAX128];
    int i, j;
    for (i = 0; i < n; i++)
        left[i] = (uint8_t)i;
    for (i = 0; i < n; i++) {
        int digit = perm[i];
        perm[i] = left[digit];
        for (j = digit; j < n - i - 1; j++)
            left[j] = left[j + 1];
    }
}

/* The Lehmer digits of rank < n!/m!, least m < n, from perm[0] on, where they are the ones of places
   with n .. m+1 elements left. rank m!/n! as a fraction of `bits` bits, rounded up, times n has the
   first digit before the point; what is behind it, times n-1, the second. The error grows by those
   factors, to less than (n!/m!)^2 / 2^bits, and is harmless below 1. */
#define COMBGPU__PERM_DIGITS(bits, from, least)                                                    \
    for (i = from; i > least; i--) {                                                               \
        fraction *= (uint64_t)i;                                                                   \
        *perm++ = (uint8_t)(fraction >> bits);                                                     \
        fraction &= (UINT64_C(1) << bits) - 1;                                                     \
    }

COMBGPU__PRIVATE void combgpu__perm_unrank_digits(int n, uint64_t rank, uint8_t *perm)
{
    /* 2^60 / n! rounded up for n = 0 .. 12, and 2^59 12! / n! for n = 13 .. 19 */
    static const uint64_t inverse[20] = {
        UINT64_C(1152921504606846976), UINT64_C(1152921504606846976), UINT64_C(576460752303423488),
        UINT64_C(192153584101141163),  UINT64_C(48038396025285291),   UINT64_C(9607679205057059),
        UINT64_C(1601279867509510),    UINT64_C(228754266787073),     UINT64_C(28594283348385),
        UINT64_C(3177142594265),       UINT64_C(317714259427),        UINT64_C(28883114494),
        UINT64_C(2406926208),          UINT64_C(44343134792571038),   UINT64_C(3167366770897932),
        UINT64_C(211157784726529),     UINT64_C(13197361545409),      UINT64_C(776315385025),
        UINT64_C(43128632502),         UINT64_C(2269928027)};
    uint64_t fraction;
    int i, least = n < 12 ? n : 12;
    if (n == 20) {
        *perm++ = (uint8_t)(rank / UINT64_C(121645100408832000));
        rank %= UINT64_C(121645100408832000);
        n = 19;
    }
    if (n > 12) {
        fraction = rank / 479001600 * inverse[n];
        rank %= 479001600;
        COMBGPU__PERM_DIGITS(59, n, 12)
    }
    fraction = rank * inverse[least];
    COMBGPU__PERM_DIGITS(60, least, 0)
}
#undef COMBGPU__PERM_DIGITS

/* rank < n!, n up to 20. A set of bits holds the unused elements; without an instruction that finds
   the k-th one, a list of nibbles does for the last 16, out of which a digit's element is shifted. */
COMBGPU__PRIVATE void combgpu__perm_unrank(int n, uint64_t rank, uint8_t *perm)
{
    int i = 0;
    combgpu__perm_unrank_digits(n, rank, perm);
#if defined(__BMI2__) && defined(__BMI__) && defined(COMBGPU__VECTOR)
    {
        uint32_t unused = (1u << n) - 1;
        for (; i < n; i++) {
            uint32_t bit = _pdep_u32(1u << perm[i], unused);
            perm[i] = (uint8_t)_tzcnt_u32(bit);
            unused ^= bit;
        }
    }
#else
    {
        uint64_t list = UINT64_C(0xfedcba9876543210);
        uint8_t left[16]; /* what the list's nibbles mean: value k + the number of t[] up to k */
        int t[4] = {99, 99, 99, 99}, j, k;
        for (; i < n - 16; i++) { /* t[j]: the j-th used element in ascending order, less j */
            int digit = perm[i];
            k = (digit >= t[0]) + (digit >= t[1]) + (digit >= t[2]) + (digit >= t[3]);
            perm[i] = (uint8_t)(digit + k);
            for (j = 3; j > 0; j--) /* without branches: they could not be foreseen */
                t[j] = digit >= t[j] ? t[j] : digit >= t[j - 1] ? digit : t[j - 1] - 1;
            t[0] = digit >= t[0] ? t[0] : digit;
        }
        for (k = 0; k < 16; k++)
            left[k] = (uint8_t)(k + (k >= t[0]) + (k >= t[1]) + (k >= t[2]) + (k >= t[3]));
        for (; i < n; i++) {
            int bit = 4 * perm[i];
            uint64_t from = UINT64_MAX << bit;
            perm[i] = left[list >> bit & 15];
            list ^= (list ^ list >> 4) & from;
        }
    }
#endif
}

COMBGPU__DEF combgpu_status combgpu_perm_rank(combgpu_context *ctx, int n, const uint8_t *perm,
                                              uint64_t *rank)
{
    uint8_t digits[COMBGPU__PERM_MAX];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX, "perm", perm, "rank", rank);
    int i;
    if (status) return status;
    combgpu__perm_digits(n, perm, digits);
    for (*rank = 0, i = 0; i < n; i++)
        *rank = *rank * (uint64_t)(n - i) + digits[i];
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_unrank(combgpu_context *ctx, int n, uint64_t rank,
                                                uint8_t *perm)
{
    static const uint64_t factorial[COMBGPU__PERM_MAX + 1] = {UINT64_C(1),
                                                              UINT64_C(1),
                                                              UINT64_C(2),
                                                              UINT64_C(6),
                                                              UINT64_C(24),
                                                              UINT64_C(120),
                                                              UINT64_C(720),
                                                              UINT64_C(5040),
                                                              UINT64_C(40320),
                                                              UINT64_C(362880),
                                                              UINT64_C(3628800),
                                                              UINT64_C(39916800),
                                                              UINT64_C(479001600),
                                                              UINT64_C(6227020800),
                                                              UINT64_C(87178291200),
                                                              UINT64_C(1307674368000),
                                                              UINT64_C(20922789888000),
                                                              UINT64_C(355687428096000),
                                                              UINT64_C(6402373705728000),
                                                              UINT64_C(121645100408832000),
                                                              UINT64_C(2432902008176640000)};
    combgpu_status status = combgpu__perm_check_n(ctx, n, COMBGPU__PERM_MAX, "perm", perm);
    if (status) return status;
    if (rank >= factorial[n])
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "rank is %llu; with n = %d it may be 0 to %llu",
                             (unsigned long long)rank, n, (unsigned long long)factorial[n] - 1);
    combgpu__perm_unrank(n, rank, perm);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_rank128(combgpu_context *ctx, int n, const uint8_t *perm,
                                                 combgpu_u128 *rank)
{
    uint8_t digits[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "perm", perm, "rank", rank);
    int i;
    if (status) return status;
    combgpu__perm_digits(n, perm, digits);
    for (rank->lo = rank->hi = 0, i = 0; i < n; i++)
        *rank = combgpu__u128_times(*rank, (uint32_t)(n - i), digits[i]);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_unrank128(combgpu_context *ctx, int n, combgpu_u128 rank,
                                                   uint8_t *perm)
{
    combgpu_u128 all = combgpu_factorial(n);
    combgpu_status status = combgpu__perm_check_n(ctx, n, COMBGPU__PERM_MAX128, "perm", perm);
    int i;
    if (status) return status;
    if (!combgpu__u128_less(rank, all))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "rank is %llu * 2^64 + %llu; with n = %d it must be below "
                             "n! = %llu * 2^64 + %llu",
                             (unsigned long long)rank.hi, (unsigned long long)rank.lo, n,
                             (unsigned long long)all.hi, (unsigned long long)all.lo);
    for (i = 1; i <= n; i++) { /* rank, perm[n - i] = rank / i, rank % i */
        uint64_t divisor = (uint64_t)i, high, low;
        uint64_t rest = rank.hi % divisor;
        rank.hi /= divisor;
        high = rest << 32 | rank.lo >> 32;
        low = high % divisor << 32 | (rank.lo & 0xffffffffu);
        rank.lo = high / divisor << 32 | low / divisor;
        perm[n - i] = (uint8_t)(low % divisor);
    }
    combgpu__perm_elements(n, perm);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__perm_reverse(uint8_t *begin, uint8_t *end)
{
    while (begin < end && begin < --end) {
        uint8_t x = *begin;
        *begin++ = *end;
        *end = x;
    }
}

/* To the successor; if flip is 255, which turns the order of the elements round, to the predecessor. */
COMBGPU__PRIVATE int combgpu__perm_step(int n, uint8_t *perm, int flip)
{
    int i = n - 2, j;
    uint8_t x;
    if (n < 1 || !perm) return 0;
    while (i >= 0 && (perm[i] ^ flip) >= (perm[i + 1] ^ flip))
        i--;
    combgpu__perm_reverse(perm + i + 1, perm + n);
    if (i < 0) return 0;
    for (j = i + 1; (perm[j] ^ flip) <= (perm[i] ^ flip); j++) {
    }
    x = perm[i];
    perm[i] = perm[j];
    perm[j] = x;
    return 1;
}

COMBGPU__DEF int combgpu_perm_next(int n, uint8_t *perm)
{
    return combgpu__perm_step(n, perm, 0);
}

COMBGPU__DEF int combgpu_perm_previous(int n, uint8_t *perm)
{
    return combgpu__perm_step(n, perm, 255);
}

/* ---- random, parity, inverse, product */

/* Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw 2011): four words for each
   counter. */
COMBGPU__PRIVATE void combgpu__philox(uint64_t key, const uint32_t *counter, uint32_t *words)
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    int round;
    memcpy(words, counter, 16);
    for (round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)words[0] * 0xd2511f53u,
                 second = (uint64_t)words[2] * 0xcd9e8d57u;
        uint32_t odd1 = words[1], odd3 = words[3];
        words[0] = (uint32_t)(second >> 32) ^ odd1 ^ key0;
        words[1] = (uint32_t)second;
        words[2] = (uint32_t)(first >> 32) ^ odd3 ^ key1;
        words[3] = (uint32_t)first;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
}

COMBGPU__DEF combgpu_status combgpu_perm_random(combgpu_context *ctx, int n, uint64_t seed,
                                                uint64_t index, uint8_t *perm)
{
    uint32_t counter[4], words[4], used = 4;
    combgpu_status status = combgpu__perm_check_n(ctx, n, COMBGPU__PERM_MAX128, "perm", perm);
    int i;
    if (status) return status;
    combgpu__put64(counter, index);
    counter[2] = counter[3] = 0;
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    while (--i > 0) { /* place i gets one of the elements 0 .. i */
        uint32_t range = (uint32_t)i + 1;
        uint64_t product;
        uint8_t x;
        do {
            if (used == 4) {
                combgpu__philox(seed, counter, words);
                counter[2]++;
                used = 0;
            }
            product = (uint64_t)words[used++] * range;
        } while ((uint32_t)product < (0u - range) % range);
        x = perm[product >> 32];
        perm[product >> 32] = perm[i];
        perm[i] = x;
    }
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_parity(combgpu_context *ctx, int n, const uint8_t *perm,
                                                int *parity)
{
    uint8_t digits[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "perm", perm, "parity", parity);
    int i;
    if (status) return status;
    combgpu__perm_digits(n, perm, digits);
    for (*parity = i = 0; i < n; i++) /* the number of inversions is the sum of the digits */
        *parity ^= digits[i] & 1;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_inverse(combgpu_context *ctx, int n, const uint8_t *perm,
                                                 uint8_t *inverse)
{
    uint8_t copy[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "perm", perm, "inverse", inverse);
    int i;
    if (status) return status;
    memcpy(copy, perm, (size_t)n);
    for (i = 0; i < n; i++)
        inverse[copy[i]] = (uint8_t)i;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_compose(combgpu_context *ctx, int n, const uint8_t *left,
                                                 const uint8_t *right, uint8_t *product)
{
    uint8_t copy[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "left", left, "product", product);
    int i;
    if (!status)
        status =
            combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "right", right, "product", product);
    if (status) return status;
    for (i = 0; i < n; i++)
        copy[i] = left[right[i]];
    memcpy(product, copy, (size_t)n);
    return COMBGPU_OK;
}

/* ---- writing on the CPU: portable C, no byte is moved twice */

/* A place in an order: a member, and what is known of it. */
typedef struct combgpu__perm_walk {
    uint64_t rank;
    uint64_t unused; /* families: the values that are left. Before perm[]: so it is aligned, and a
                        sixth faster to copy */
    uint8_t perm[COMBGPU__PERM_MOST]; /* what follows its places is read, but has no meaning */
    uint8_t
        place[COMBGPU__PERM_MOST]; /* of a value: where it is (CYCLE), how often left (MULTISET) */
    /* all permutations: */
    const uint8_t *groups; /* combgpu__perm_groups; NULL = write with portable code */
    const uint8_t *items;  /* write items[element] instead of the element; NULL = do not */
    int stream;            /* write past the caches */
} combgpu__perm_walk;

/* Writes the 24 permutations that begin with head[0 .. n-5] and end with the orders of four sorted
   elements; n >= 8. Words are put together from one word per (place, element), so that only whole
   words are stored and the order of the bytes in a word does not matter. About 1 G/s into cache (n
   = 8 to 20, one core); combgpu_perm_next and a copy: 0.15 G/s. */
COMBGPU__PRIVATE void combgpu__perm_write24(int n, const uint8_t *head, const uint8_t *four,
                                            uint8_t *out)
{
    static const uint8_t units[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    uint32_t unit[4], w[4][4]; /* [place][element] */
    uint32_t orders[24];
    uint64_t first, second;
    int i;
    for (i = 0; i < 4; i++) {
        memcpy(&unit[i], units[i], 4);
        w[i][0] = unit[i] * four[0];
        w[i][1] = unit[i] * four[1];
        w[i][2] = unit[i] * four[2];
        w[i][3] = unit[i] * four[3];
    }
#define COMBGPU__ORDER(at, a, b, c, d)                                                             \
    orders[at] = w[0][a] | w[1][b] | w[2][c] | w[3][d];                                            \
    orders[at + 1] = w[0][a] | w[1][b] | w[2][d] | w[3][c];
#define COMBGPU__ORDERS(at, a, b, c, d)                                                            \
    COMBGPU__ORDER(at, a, b, c, d)                                                                 \
    COMBGPU__ORDER(at + 2, a, c, b, d)                                                             \
    COMBGPU__ORDER(at + 4, a, d, b, c)
    COMBGPU__ORDERS(0, 0, 1, 2, 3)
    COMBGPU__ORDERS(6, 1, 0, 2, 3)
    COMBGPU__ORDERS(12, 2, 0, 1, 3)
    COMBGPU__ORDERS(18, 3, 0, 1, 2)
#undef COMBGPU__ORDERS
#undef COMBGPU__ORDER
    memcpy(&first, head, 8); /* reaches into the last four places if n < 12: they come after it */
    if (n <= 12) {
        for (i = 0; i < 24; i++, out += n) {
            memcpy(out, &first, 8);
            memcpy(out + n - 4, &orders[i], 4);
        }
        return;
    }
    memcpy(&second, head + n - 12, 8);
    for (i = 0; i < 24; i++, out += n) {
        int j;
        memcpy(out, &first, 8);
        for (j = 8; j < n - 12; j += 8) /* n > 20 */
            memcpy(out + j, head + j, 8);
        memcpy(out + n - 12, &second, 8);
        memcpy(out + n - 4, &orders[i], 4);
    }
}

/* Writes the group that begins with head[0 .. n-7] and ends with the orders of six sorted elements;
   head has room for n bytes and loses what follows. */
COMBGPU__PRIVATE void combgpu__perm_write720(int n, uint8_t *head, const uint8_t *six, uint8_t *out)
{
    int i, j, k, count;
    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) {
            uint8_t four[4];
            if (j == i) continue;
            head[n - 6] = six[i];
            head[n - 5] = six[j];
            for (count = k = 0; k < 6; k++)
                if (k != i && k != j) four[count++] = six[k];
            combgpu__perm_write24(n, head, four, out);
            out += (size_t)24 * (size_t)n;
        }
}

/* ---- writing on the CPU with vectors: a group's places, 720 n bytes in the L1 cache, become its
   bytes by one table look-up for each vector. From a group to the next one the last eight places
   change alone, 55 times of 56. */

#define COMBGPU__PERM_EIGHT 56 /* groups with the same places but for the last eight */

/* Bytes of what combgpu__perm_groups makes. */
COMBGPU__PRIVATE size_t combgpu__perm_groups_bytes(int n)
{
    return 8 * COMBGPU__PERM_EIGHT + (size_t)COMBGPU__PERM_GROUP * (size_t)n + 64;
}

/* For n >= 6: the first order of eight elements in each of their 56 groups; then a group of n as
   places; then as much as a vector may read past its end. */
COMBGPU__PRIVATE void combgpu__perm_groups(int n, uint8_t *groups)
{
    uint8_t perm[COMBGPU__PERM_MAX128];
    int i;
    memset(groups, 0, combgpu__perm_groups_bytes(n));
    for (i = 0; i < COMBGPU__PERM_EIGHT; i++)
        combgpu__perm_unrank(8, (uint64_t)i * COMBGPU__PERM_GROUP, groups + 8 * i);
    groups += 8 * COMBGPU__PERM_EIGHT;
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    for (i = 0; i < COMBGPU__PERM_GROUP; i++, groups += n) {
        memcpy(groups, perm, (size_t)n);
        combgpu_perm_next(n, perm);
    }
}

/* Moves from a group's first permutation to the next group's; eight[] are the last eight elements,
   sorted, if n >= 8. */
COMBGPU__PRIVATE void combgpu__perm_next_group(combgpu__perm_walk *walk, int n, uint8_t *eight)
{
    uint64_t group = walk->rank / COMBGPU__PERM_GROUP % COMBGPU__PERM_EIGHT + 1;
    int i;
    walk->rank += COMBGPU__PERM_GROUP;
    if (n >= 8 && group < COMBGPU__PERM_EIGHT) {
        const uint8_t *order = walk->groups + 8 * group;
        for (i = 0; i < 8; i++)
            walk->perm[n - 8 + i] = eight[order[i]];
        return;
    }
    combgpu__perm_reverse(walk->perm + n - 6, walk->perm + n);
    combgpu_perm_next(n, walk->perm);
    if (n >= 8) memcpy(eight, walk->perm + n - 8, 8);
}

/* eight[] for the above, from any permutation. */
COMBGPU__PRIVATE void combgpu__perm_last_eight(const combgpu__perm_walk *walk, int n,
                                               uint8_t *eight)
{
    int i, j;
    for (i = 0; i < 8 && n >= 8; i++) { /* insertion sort */
        uint8_t x = walk->perm[n - 8 + i];
        for (j = i; j > 0 && eight[j - 1] > x; j--)
            eight[j] = eight[j - 1];
        eight[j] = x;
    }
}

#ifdef COMBGPU__VECTOR
/* A look-up in 16, 32 or 48 bytes. */
#define COMBGPU__PERM_LOOKUP1(i) COMBGPU__LOOKUP(table[0], i)
#define COMBGPU__PERM_LOOKUP2(i)                                                                   \
    COMBGPU__OR(COMBGPU__LOOKUP(table[0], COMBGPU__PICK(i, 0)),                                    \
                COMBGPU__LOOKUP(table[1], COMBGPU__PICK(i, 16)))
#define COMBGPU__PERM_LOOKUP3(i)                                                                   \
    COMBGPU__OR(COMBGPU__PERM_LOOKUP2(i), COMBGPU__LOOKUP(table[2], COMBGPU__PICK(i, 32)))

/* All vectors of a group that are whole, from byte `at` of it on; stores to out + at. */
#define COMBGPU__PERM_VECTORS(LOOKUP, STORE)                                                       \
    for (; at + COMBGPU__VECTOR <= bytes; at += COMBGPU__VECTOR) {                                 \
        const combgpu__vector places = COMBGPU__LOAD(pattern + at);                                \
        STORE(out + at, LOOKUP(places));                                                           \
    }
#define COMBGPU__PERM_ALL_VECTORS(STORE)                                                           \
    if (n <= 16)                                                                                   \
        COMBGPU__PERM_VECTORS(COMBGPU__PERM_LOOKUP1, STORE)                                        \
    else if (n <= 32)                                                                              \
        COMBGPU__PERM_VECTORS(COMBGPU__PERM_LOOKUP2, STORE)                                        \
    else                                                                                           \
        COMBGPU__PERM_VECTORS(COMBGPU__PERM_LOOKUP3, STORE)
#define COMBGPU__PERM_ONE_VECTOR(at)                                                               \
    (n <= 16   ? COMBGPU__PERM_LOOKUP1(COMBGPU__LOAD(pattern + (at)))                              \
     : n <= 32 ? COMBGPU__PERM_LOOKUP2(COMBGPU__LOAD(pattern + (at)))                              \
               : COMBGPU__PERM_LOOKUP3(COMBGPU__LOAD(pattern + (at))))

/* Writes `count` groups from the walk's on and moves past them; n >= 6. Past the caches only whole
   vectors can be stored: `line` holds one that two groups share. */
COMBGPU__PRIVATE void combgpu__perm_write_groups(combgpu__perm_walk *walk, int n, uint64_t count,
                                                 uint8_t *out)
{
    const uint8_t *pattern = walk->groups + 8 * COMBGPU__PERM_EIGHT;
    const size_t bytes = (size_t)COMBGPU__PERM_GROUP * (size_t)n;
    size_t before = walk->stream ? (size_t)(uintptr_t)out % COMBGPU__VECTOR : 0, skip = before, at;
    uint8_t line[2 * COMBGPU__VECTOR], eight[8], bytes_of[COMBGPU__PERM_MOST];
    combgpu__perm_last_eight(walk, n, eight);
    for (; count; count--, out += bytes) {
        combgpu__vector table[3];
        int i;
        memcpy(bytes_of, walk->perm, sizeof bytes_of);
        for (i = 0; i < n && walk->items; i++)
            bytes_of[i] = walk->items[walk->perm[i]];
        for (i = 0; i < 3; i++)
            table[i] = COMBGPU__TABLE(bytes_of + 16 * i);
        at = 0;
        if (before) { /* the line's rest */
            COMBGPU__STORE(line + before, COMBGPU__PERM_ONE_VECTOR(0));
            at = COMBGPU__VECTOR - before;
            if (skip)
                memcpy(out, line + skip, at);
            else
                COMBGPU__STREAM(out - before, COMBGPU__LOAD(line));
            skip = 0;
        }
        if (walk->stream) {
            COMBGPU__PERM_ALL_VECTORS(COMBGPU__STREAM)
            before = bytes - at;
            if (before) COMBGPU__STORE(line, COMBGPU__PERM_ONE_VECTOR(at));
        } else {
            COMBGPU__PERM_ALL_VECTORS(COMBGPU__STORE)
            if (at < bytes) {
                at = bytes - COMBGPU__VECTOR;
                COMBGPU__STORE(out + at, COMBGPU__PERM_ONE_VECTOR(at));
            }
        }
        combgpu__perm_next_group(walk, n, eight);
    }
    if (!walk->stream) return;
    memcpy(out - before, line, before);
    COMBGPU__FENCE();
}
#endif

/* Writes the next `count` permutations and moves past them. */
COMBGPU__PRIVATE void combgpu__perm_walk_write(combgpu__perm_walk *walk, int n, uint64_t count,
                                               uint8_t *out)
{
    while (count) {
        uint64_t done = 1;
        size_t i;
        int whole = count >= COMBGPU__PERM_GROUP && walk->rank % COMBGPU__PERM_GROUP == 0;
#ifdef COMBGPU__VECTOR
        if (walk->groups && whole) {
            done = count / COMBGPU__PERM_GROUP;
            combgpu__perm_write_groups(walk, n, done, out);
            done *= COMBGPU__PERM_GROUP;
            out += (size_t)done * (size_t)n;
            count -= done;
            continue;
        }
#endif
        if (n >= 8 && whole) {
            uint8_t head[COMBGPU__PERM_MOST];
            memcpy(head, walk->perm, sizeof head);
            combgpu__perm_write720(n, head, walk->perm + n - 6, out);
            combgpu__perm_reverse(walk->perm + n - 6, walk->perm + n);
            done = COMBGPU__PERM_GROUP;
        } else if (n >= 8 && count >= 24 && walk->rank % 24 == 0) {
            combgpu__perm_write24(n, walk->perm, walk->perm + n - 4, out);
            combgpu__perm_reverse(walk->perm + n - 4, walk->perm + n);
            done = 24;
        } else
            memcpy(out, walk->perm, (size_t)n);
        for (i = 0; walk->items && i < (size_t)done * (size_t)n; i++)
            out[i] = walk->items[out[i]];
        combgpu_perm_next(n, walk->perm);
        walk->rank += done;
        out += (size_t)done * (size_t)n;
        count -= done;
    }
}

/* (end of SECTION 40) */

/* ======================================================= SECTION 41: families of permutations == */
/* A family is: how many members, the member of a rank, the next one, the rank of a member.

   PARTIAL, DERANGEMENT, CYCLE and CIRCULAR are one tree: place after place takes one of the unused
   values that is *allowed* there. All choices of a place lead to equally many members, but for
   derangements, where it depends on whether the chosen value's own place is still open. (A CYCLE may
   not close early: of n-i unused values at place i just one is forbidden, the first one of the path
   that ends in i; so there are n-1-i choices, and (n-1)! members.) */

#define COMBGPU__SET_FREE 255 /* in place[]: the value is not used */

typedef struct combgpu__set {
    combgpu_perm_family family;
    int n, k, length;
    uint64_t count;
    uint8_t repeats[COMBGPU__PERM_MOST];
    /* bijections of m places to m values, f of which have a forbidden place: [m][f], f <= m */
    uint64_t derangements[COMBGPU__PERM_MAX + 1][COMBGPU__PERM_MAX + 1];
} combgpu__set;

/* c * r / m, where m divides it and the result fits. */
COMBGPU__PRIVATE uint64_t combgpu__set_scale(uint64_t c, uint64_t r, uint64_t m)
{
    return c / m * r + c % m * r / m;
}

/* *c *= r / m, 0 if that does not fit; 1 <= m <= r. */
COMBGPU__PRIVATE int combgpu__set_grow(uint64_t *c, uint64_t r, uint64_t m)
{
    if (*c / m > (UINT64_MAX - *c % m * r / m) / r) return 0;
    *c = combgpu__set_scale(*c, r, m);
    return 1;
}

COMBGPU__PRIVATE void combgpu__set_derangements(combgpu__set *set)
{
    int m, f;
    for (m = 0; m <= set->n; m++) {
        set->derangements[m][0] = combgpu_factorial(m).lo;
        for (f = 1; f <= m; f++)
            set->derangements[m][f] = set->derangements[m][f - 1] - set->derangements[m - 1][f - 1];
    }
}

/* Number of members, 0 if it does not fit 64 bits or there are none; sets length. */
COMBGPU__PRIVATE uint64_t combgpu__set_members(combgpu__set *set)
{
    uint64_t count = 1;
    int i, j, fits = 1;
    set->length = set->n;
    switch (set->family) {
    case COMBGPU_PERM_PARTIAL:
    case COMBGPU_PERM_COMBINATION:
        set->length = set->k;
        for (i = 1; i <= set->k && fits; i++)
            fits = set->family == COMBGPU_PERM_PARTIAL
                       ? combgpu__set_grow(&count, (uint64_t)(set->n + 1 - i), 1)
                       : combgpu__set_grow(&count, (uint64_t)(set->n - set->k + i), (uint64_t)i);
        break;
    case COMBGPU_PERM_MULTISET:
        for (set->length = i = 0; i < set->n; i++)
            for (j = 1; j <= set->repeats[i] && fits; j++)
                fits = combgpu__set_grow(&count, (uint64_t)++set->length, (uint64_t)j);
        break;
    case COMBGPU_PERM_DERANGEMENT:
        combgpu__set_derangements(set);
        count = set->derangements[set->n][set->n];
        break;
    case COMBGPU_PERM_CYCLE:
    case COMBGPU_PERM_CIRCULAR:
        count = combgpu_factorial(set->n - 1).lo;
        break;
    default:
        count = combgpu_factorial(set->n).lo;
    }
    return fits ? count : 0;
}

/* Checks a caller's set and fills ours. */
COMBGPU__PRIVATE combgpu_status combgpu__set_check(combgpu_context *ctx,
                                                   const combgpu_perm_set *from, combgpu__set *set)
{
    static const struct {
        const char *name;
        int most;
    } kinds[] = {{"ALL", 20},         {"PARTIAL", 64}, {"MULTISET", 64}, {"DERANGEMENT", 20},
                 {"COMBINATION", 64}, {"GRAY", 20},    {"CYCLE", 21},    {"CIRCULAR", 21}};
    int takes_k, sum = 0, i;
    if (!from) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "set is NULL");
    if ((int)from->family < 0 || (int)from->family > COMBGPU_PERM_CIRCULAR)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "set->family is %d; it may be 0 (ALL) to %d (CIRCULAR)",
                             (int)from->family, (int)COMBGPU_PERM_CIRCULAR);
    if (from->n < 1 || from->n > kinds[from->family].most)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "set->n is %d; with family %s it may be 1 to %d", from->n,
                             kinds[from->family].name, kinds[from->family].most);
    takes_k = from->family == COMBGPU_PERM_PARTIAL || from->family == COMBGPU_PERM_COMBINATION;
    if (takes_k ? from->k < 1 || from->k > from->n : from->k != 0)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             takes_k ? "set->k is %d; with family %s and n = %d it may be 1 to n"
                                     : "set->k is %d; with family %s and n = %d it must be 0",
                             from->k, kinds[from->family].name, from->n);
    if (!from->repeats != (from->family != COMBGPU_PERM_MULTISET))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "set->repeats is %s; it is for family MULTISET, which needs it",
                             from->repeats ? "set" : "NULL");
    memset(set, 0, sizeof *set);
    set->family = from->family;
    set->n = from->n;
    set->k = from->k;
    for (i = 0; from->repeats && i < from->n; i++) {
        set->repeats[i] = from->repeats[i];
        sum += from->repeats[i];
    }
    if (from->repeats && (sum < 1 || sum > COMBGPU__PERM_MOST))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the sum of set->repeats is %d; it may be 1 to %d", sum,
                             COMBGPU__PERM_MOST);
    set->count = combgpu__set_members(set);
    if (!set->count && set->family != COMBGPU_PERM_DERANGEMENT)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "set: family %s with n = %d, k = %d has more than 2^64 - 1 members; "
                             "ranks are 64 bits",
                             kinds[set->family].name, set->n, set->k);
    return COMBGPU_OK;
}

/* ---- the tree: what is allowed at a place, and taking it */

COMBGPU__PRIVATE uint64_t combgpu__set_allowed(const combgpu__set *set,
                                               const combgpu__perm_walk *walk, int i)
{
    int first = i;
    switch (set->family) {
    case COMBGPU_PERM_DERANGEMENT:
        return walk->unused & ~(UINT64_C(1) << i);
    case COMBGPU_PERM_CIRCULAR:
        return i ? walk->unused : 1;
    case COMBGPU_PERM_CYCLE:
        if (i == set->n - 1) return walk->unused;
        while (walk->place[first] != COMBGPU__SET_FREE)
            first = walk->place[first];
        return walk->unused & ~(UINT64_C(1) << first);
    default:
        return walk->unused;
    }
}

/* Before the first place. */
COMBGPU__PRIVATE void combgpu__set_start(const combgpu__set *set, combgpu__perm_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    walk->unused = ~UINT64_C(0) >> (64 - set->n);
    if (set->family == COMBGPU_PERM_MULTISET)
        memcpy(walk->place, set->repeats, sizeof walk->place);
    else
        memset(walk->place, COMBGPU__SET_FREE, sizeof walk->place);
}

COMBGPU__PRIVATE void combgpu__set_choose(combgpu__perm_walk *walk, int i, int value)
{
    walk->perm[i] = (uint8_t)value;
    walk->place[value] = (uint8_t)i;
    walk->unused &= ~(UINT64_C(1) << value);
}

/* Members that begin with the walk's places 0 .. i-1 and `value`; `each` is their number where all
   choices are equal. */
COMBGPU__PRIVATE uint64_t combgpu__set_weight(const combgpu__set *set,
                                              const combgpu__perm_walk *walk, int i, int value,
                                              uint64_t each)
{
    uint64_t open;
    if (set->family != COMBGPU_PERM_DERANGEMENT) return each;
    open = walk->unused & ~(UINT64_C(1) << value) & ~UINT64_C(0) << i & ~(UINT64_C(1) << i);
    return set->derangements[set->n - 1 - i][combgpu__popcount64(open)];
}

COMBGPU__PRIVATE void combgpu__set_tree_unrank(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, each = set->count;
    int i;
    for (i = 0; i < set->length; i++) {
        uint64_t allowed = combgpu__set_allowed(set, walk, i), weight;
        int value;
        each /= (uint64_t)combgpu__popcount64(allowed);
        for (;; allowed &= allowed - 1, rank -= weight) {
            value = combgpu__lowest_bit64(allowed);
            weight = combgpu__set_weight(set, walk, i, value, each);
            if (rank < weight) break;
        }
        combgpu__set_choose(walk, i, value);
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_tree_rank(const combgpu__set *set, const uint8_t *perm)
{
    combgpu__perm_walk walk;
    uint64_t rank = 0, each = set->count;
    int i, value;
    combgpu__set_start(set, &walk);
    for (i = 0; i < set->length; i++) {
        uint64_t allowed = combgpu__set_allowed(set, &walk, i);
        if (perm[i] >= set->n || !(allowed >> perm[i] & 1)) return COMBGPU__PERM_NO_RANK;
        each /= (uint64_t)combgpu__popcount64(allowed);
        for (; (value = combgpu__lowest_bit64(allowed)) < perm[i]; allowed &= allowed - 1)
            rank += combgpu__set_weight(set, &walk, i, value, each);
        combgpu__set_choose(&walk, i, value);
    }
    return rank;
}

/* The next leaf of the tree, if there is one: back to the last place that can take a larger value,
   then the smallest ones. (A derangement's last place may find its only value forbidden.) */
COMBGPU__PRIVATE void combgpu__set_tree_next(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t larger = 0;
    int i = set->length;
    while (i < set->length || !larger) {
        if (larger) { /* the smallest value of those that may come at place i */
            combgpu__set_choose(walk, i++, combgpu__lowest_bit64(larger));
            larger = i < set->length ? combgpu__set_allowed(set, walk, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = walk->perm[--i];
            walk->unused |= UINT64_C(1) << value;
            walk->place[value] = COMBGPU__SET_FREE;
            larger = combgpu__set_allowed(set, walk, i) & ~UINT64_C(1) << value;
        }
    }
}

/* ---- multisets, combinations (a combination is a multiset of "in" and "out"), Gray code */

COMBGPU__PRIVATE void combgpu__set_multiset_unrank(const combgpu__set *set,
                                                   combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, all = set->count, part;
    int i, v;
    for (i = 0; i < set->length; i++) {
        for (v = 0;; v++, rank -= part) {
            part = combgpu__set_scale(all, walk->place[v], (uint64_t)(set->length - i));
            if (rank < part) break;
        }
        walk->perm[i] = (uint8_t)v;
        walk->place[v]--;
        all = part;
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_multiset_rank(const combgpu__set *set, const uint8_t *perm)
{
    uint8_t left[COMBGPU__PERM_MOST];
    uint64_t rank = 0, all = set->count, part;
    int i, v;
    memcpy(left, set->repeats, sizeof left);
    for (i = 0; i < set->length; i++) {
        if (perm[i] >= set->n || !left[perm[i]]) return COMBGPU__PERM_NO_RANK;
        for (v = 0;; v++, rank += part) {
            part = combgpu__set_scale(all, left[v], (uint64_t)(set->length - i));
            if (v == perm[i]) break;
        }
        left[v]--;
        all = part;
    }
    return rank;
}

COMBGPU__PRIVATE void combgpu__set_combination_unrank(const combgpu__set *set,
                                                      combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, all = set->count, part;
    int i = 0, v;
    for (v = 0; i < set->k; v++) {
        part = combgpu__set_scale(all, (uint64_t)(set->k - i), (uint64_t)(set->n - v));
        if (rank < part) {
            walk->perm[i++] = (uint8_t)v;
            all = part;
        } else {
            rank -= part;
            all -= part;
        }
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_combination_rank(const combgpu__set *set,
                                                        const uint8_t *perm)
{
    uint64_t rank = 0, all = set->count, part;
    int i, v = 0;
    for (i = 0; i < set->k; i++, v++) {
        if (perm[i] < v || perm[i] >= set->n) return COMBGPU__PERM_NO_RANK;
        for (;; v++, rank += part, all -= part) {
            part = combgpu__set_scale(all, (uint64_t)(set->k - i), (uint64_t)(set->n - v));
            if (v == perm[i]) break;
        }
        all = part;
    }
    return rank;
}

/* Element m-1 goes through the permutation of the smaller ones from right to left and, if the rank
   of that one is odd, from left to right. The largest one is placed first, among free places. */
COMBGPU__PRIVATE void combgpu__set_gray_unrank(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank, open = walk->unused, rest;
    int m;
    for (m = set->n; m; m--) {
        int at = (int)(rank % (uint64_t)m);
        rank /= (uint64_t)m;
        if (!(rank & 1)) at = m - 1 - at;
        for (rest = open; at; at--)
            rest &= rest - 1;
        walk->perm[combgpu__lowest_bit64(rest)] = (uint8_t)(m - 1);
        open &= ~(rest & (0 - rest));
    }
}

COMBGPU__PRIVATE uint64_t combgpu__set_gray_rank(const combgpu__set *set, const uint8_t *perm)
{
    uint8_t place[COMBGPU__PERM_MOST];
    uint64_t rank = 0;
    int m, v;
    if (combgpu__set_tree_rank(set, perm) == COMBGPU__PERM_NO_RANK) return COMBGPU__PERM_NO_RANK;
    for (v = 0; v < set->n; v++)
        place[perm[v]] = (uint8_t)v;
    for (m = 2; m <= set->n; m++) {
        int at = 0;
        for (v = 0; v < m - 1; v++)
            at += place[v] < place[m - 1];
        rank = rank * (uint64_t)m + (uint64_t)(rank & 1 ? at : m - 1 - at);
    }
    return rank;
}

/* To the member of walk->rank, from the one before. */
COMBGPU__PRIVATE void combgpu__set_gray_next(const combgpu__set *set, combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank;
    int m = set->n, at = 0;
    for (; m && rank % (uint64_t)m == 0; m--)
        rank /= (uint64_t)m;
    if (!m) return;
    while (walk->perm[at] != m - 1)
        at++;
    if (!(rank / (uint64_t)m & 1)) at--;
    m = walk->perm[at];
    walk->perm[at] = walk->perm[at + 1];
    walk->perm[at + 1] = (uint8_t)m;
}

/* ---- a family: member of a rank, next one, rank of a member */

COMBGPU__PRIVATE void combgpu__set_walk_to(const combgpu__set *set, combgpu__perm_walk *walk,
                                           uint64_t rank)
{
    combgpu__set_start(set, walk);
    walk->rank = rank;
    switch (set->family) {
    case COMBGPU_PERM_ALL:
        combgpu__perm_unrank(set->n, rank, walk->perm);
        break;
    case COMBGPU_PERM_MULTISET:
        combgpu__set_multiset_unrank(set, walk);
        break;
    case COMBGPU_PERM_COMBINATION:
        combgpu__set_combination_unrank(set, walk);
        break;
    case COMBGPU_PERM_GRAY:
        combgpu__set_gray_unrank(set, walk);
        break;
    default:
        combgpu__set_tree_unrank(set, walk);
    }
}

COMBGPU__PRIVATE void combgpu__set_walk_next(const combgpu__set *set, combgpu__perm_walk *walk)
{
    int i = set->k - 1;
    walk->rank++;
    switch (set->family) {
    case COMBGPU_PERM_ALL:
    case COMBGPU_PERM_MULTISET:
    case COMBGPU_PERM_CIRCULAR:
        combgpu_perm_next(set->length, walk->perm);
        break;
    case COMBGPU_PERM_COMBINATION:
        while (i >= 0 && walk->perm[i] == set->n - set->k + i)
            i--;
        if (i < 0) return;
        for (walk->perm[i]++; ++i < set->k;)
            walk->perm[i] = (uint8_t)(walk->perm[i - 1] + 1);
        break;
    case COMBGPU_PERM_GRAY:
        combgpu__set_gray_next(set, walk);
        break;
    default:
        combgpu__set_tree_next(set, walk);
    }
}

/* Writes the next `count` members and moves past them. */
COMBGPU__PRIVATE void combgpu__set_walk_write(const combgpu__set *set, combgpu__perm_walk *walk,
                                              uint64_t count, uint8_t *out)
{
    if (set->family == COMBGPU_PERM_ALL) {
        combgpu__perm_walk_write(walk, set->n, count, out);
        return;
    }
    for (; count; count--, out += set->length) {
        memcpy(out, walk->perm, (size_t)set->length);
        combgpu__set_walk_next(set, walk);
    }
}

/* NO_RANK if it is no member. */
COMBGPU__PRIVATE uint64_t combgpu__set_rank(const combgpu__set *set, const uint8_t *perm)
{
    switch (set->family) {
    case COMBGPU_PERM_MULTISET:
        return combgpu__set_multiset_rank(set, perm);
    case COMBGPU_PERM_COMBINATION:
        return combgpu__set_combination_rank(set, perm);
    case COMBGPU_PERM_GRAY:
        return combgpu__set_gray_rank(set, perm);
    default:
        return combgpu__set_tree_rank(set, perm);
    }
}

COMBGPU__DEF combgpu_status combgpu_perm_set_count(combgpu_context *ctx,
                                                   const combgpu_perm_set *set, uint64_t *count,
                                                   int *length)
{
    combgpu__set checked;
    combgpu_status status = combgpu__set_check(ctx, set, &checked);
    if (status) return status;
    if (count) *count = checked.count;
    if (length) *length = checked.length;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_rank(combgpu_context *ctx, const combgpu_perm_set *set,
                                                  const uint8_t *perm, uint64_t *rank)
{
    combgpu__set checked;
    combgpu_status status = combgpu__set_check(ctx, set, &checked);
    uint64_t found;
    if (status) return status;
    if (!perm) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is NULL");
    if (!rank) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "rank is NULL");
    found = combgpu__set_rank(&checked, perm);
    if (found == COMBGPU__PERM_NO_RANK)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is no member of the set");
    *rank = found;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_set_unrank(combgpu_context *ctx,
                                                    const combgpu_perm_set *set, uint64_t rank,
                                                    uint8_t *perm)
{
    combgpu__set checked;
    combgpu__perm_walk walk;
    combgpu_status status = combgpu__set_check(ctx, set, &checked);
    if (status) return status;
    if (!perm) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "perm is NULL");
    if (rank >= checked.count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "rank is %llu; the set has %llu members, so it must be less",
                             (unsigned long long)rank, (unsigned long long)checked.count);
    combgpu__set_walk_to(&checked, &walk, rank);
    memcpy(perm, walk.perm, (size_t)checked.length);
    return COMBGPU_OK;
}

/* (end of SECTION 41) */

/* ================================= SECTION 42: ranges of permutations: written or visited == */
/* A task is a range [begin, end) of ranks, a step one member. Ranges are cut at multiples of 720,
   because members are made in groups.

   WRITE puts members where they belong: the C solver into the caller's memory, the kernel into the
   shared part of the work memory (the *area*), with a record for each piece, which slice_done fetches
   in one copy. A record names a range; if its bytes are not there any more (after a resume) or never
   were (chunks on the CPU, which are made when they are handed over, while they are in the cache),
   record() makes them. Nothing but ranges is ever in a checkpoint. Into device memory of the caller's
   the kernel writes directly, without records. There are two kernels: one for *all* permutations,
   which are WRITE without a set, with n up to 34 and items of the caller's; and one for sets.

   RANKS are 64-bit numbers everywhere here. For n > 20 they count from `base`, the multiple of 8! at
   or below the caller's first rank; else base is 0.

   What was tried for the visits (n = 13, a count; H200, kernel times; "a" counts derangements, "b"
   permutations with three fixed points, both with a loop over all places):
     next_permutation in a thread, perm[] in local memory                    64 ms
     orders of the last four places written out, perm[] in registers         a 4.4 ms, b 5.9 ms
     three written out, a loop over the fourth (a quarter of the code: the
     self-test's visitor takes 8 s of ptxas instead of 81 on a busy machine) a 5.3 ms, b 6.6 ms
     the same with at most 96, 64 registers instead of 131                   a 5.2, 5.0; b 6.3, 6.1 ms
     OpenCL, four written out, n, goal and family constants                  a 4.9 ms, b 4.8 ms
   On a CPU: 720 permutations in columns, so that the visitor's text becomes SIMD: 1.0 G/s on a core
   for a and n = 12, with columns made by masks; one after another 0.3 G/s.
   Other families go from member to member in local memory: 15 (derangements, cycles) to 55 G/s
   (multisets, Gray code). Multisets written to device memory: 0.1 ms for 6 values twice each (a
   memset takes 0.026 ms), 9.9 ms for 7 (2.1 ms): a fifth to a quarter of a memset's speed. What
   stands between: each lane unranks for no more than 15 members, and does it in local memory. */

#define COMBGPU__PERM_PIECES 8192 /* tasks of the frontier, about */
#define COMBGPU__PERM_WRITE_PIECES 4096
#define COMBGPU__PERM_PIECE ((uint64_t)16 * COMBGPU__PERM_GROUP) /* members of a record, at most */
#define COMBGPU__PERM_CHUNK                                                                        \
    ((uint64_t)4 * COMBGPU__PERM_GROUP) /* that the CPU hands over at once */
#define COMBGPU__PERM_AREA ((size_t)64 << 20)
#define COMBGPU__PERM_STREAM ((size_t)32 << 20) /* output of more bytes goes past the caches */
#define COMBGPU__PERM_WRITE_LANES 256
#define COMBGPU__VISIT_LANES 128
#define COMBGPU__VISIT_COLUMNS 4352 /* 6 * 720, rounded up */
#define COMBGPU__VISIT_BINS 4096
#define COMBGPU__VISIT_SLOT_WORDS 4 /* a worker's best: key, rank; its sum: low, high */
/* OpenCL on a CPU: compiling the kernel's long form takes many seconds, and it is no faster */
#ifndef COMBGPU__VISIT_BLOCKS
#define COMBGPU__VISIT_BLOCKS(ctx) ((ctx)->device.is_gpu)
#endif
/* Ordered hits: tasks are made in windows of ranks, twice as long each, at most so many groups. Hits
   wait until all smaller ranks are done, and so there are not many more of them than there were hits
   before, or than a few windows have. */
#define COMBGPU__VISIT_WINDOW 256
#define COMBGPU__VISIT_WINDOW_MOST ((uint64_t)1 << 17)

/* Words of the tables for writing all permutations; combgpu_kernels.cl reads the same. */
enum {
    COMBGPU__PERM_T_N,
    COMBGPU__PERM_T_ORDERS,  /* permutations in a group: 720, or n! for n < 6 */
    COMBGPU__PERM_T_VECTORS, /* 16-byte units of a group's bytes, rounded up */
    COMBGPU__PERM_T_AREA,    /* 16-byte units of the area */
    /* `Output` is the caller's memory, or a piece's part of the area. */
    COMBGPU__PERM_T_TASK_GROUPS = 8, /* that a task touches at most; for the caller's memory */
    COMBGPU__PERM_T_ITEM_BYTES,
    COMBGPU__PERM_T_SHIFT,  /* a group begins so many bytes after a 16-byte unit of the output */
    COMBGPU__PERM_T_UNITS,  /* such units that a group touches */
    COMBGPU__PERM_T_PERIOD, /* units after which the places repeat */
    COMBGPU__PERM_T_PREFIX, /* places before the last 6 */
    COMBGPU__PERM_T_FIRST = 14,    /* 64 bits: rank at the output's beginning */
    COMBGPU__PERM_T_OFFSET = 16,   /* 64 bits: bytes from the work memory to the output */
    COMBGPU__PERM_T_BASE = 18,     /* base: the digits of its first n - 6 places */
    COMBGPU__PERM_T_DIVISORS = 46, /* 64 bits each: k! / 720 for k = 0 .. 33, or 0 */
    COMBGPU__PERM_T_ITEMS = 114,   /* the items, 64 bits each, low word first */
    COMBGPU__PERM_T_PATTERN = 182  /* combgpu__perm_pattern */
};

/* Words of the tables for sets and visits; combgpu_kernels.cl reads the same. */
enum {
    COMBGPU__VISIT_T_FAMILY,
    COMBGPU__VISIT_T_N,
    COMBGPU__VISIT_T_K,
    COMBGPU__VISIT_T_LENGTH,
    COMBGPU__VISIT_T_COUNT, /* members, two words */
    COMBGPU__VISIT_T_GOAL = 6,
    COMBGPU__VISIT_T_LIST, /* COUNT: emit a record for each hit, instead of adding it up */
    COMBGPU__VISIT_T_DATA, /* word at which the caller's data begin */
    COMBGPU__VISIT_T_BINS,
    COMBGPU__VISIT_T_FIRST = 10,   /* bin_first, two words */
    COMBGPU__VISIT_T_WIDTH = 12,   /* bin_width, two words */
    COMBGPU__VISIT_T_AREA = 14,    /* WRITE: 16-byte units of the area */
    COMBGPU__VISIT_T_DIRECT,       /* WRITE: into the caller's memory */
    COMBGPU__VISIT_T_REPEATS = 16, /* 64 bytes */
    COMBGPU__VISIT_T_DERANGEMENTS = 32,
    COMBGPU__VISIT_T_RANK = 32 + 2 * 21 * 21,              /* first, two words */
    COMBGPU__VISIT_T_OFFSET = COMBGPU__VISIT_T_RANK + 2,   /* bytes to the output, two words */
    COMBGPU__VISIT_T_SHAPES = COMBGPU__VISIT_T_OFFSET + 2, /* 33 words: where each list begins */
    COMBGPU__VISIT_T_ORDERS = COMBGPU__VISIT_T_SHAPES + 33,
    COMBGPU__VISIT_T_RECIPROCALS = COMBGPU__VISIT_T_ORDERS + 4683, /* of 0 .. 64 */
    COMBGPU__VISIT_T_END = COMBGPU__VISIT_T_RECIPROCALS + 65
};

/* What job->sums hold. 1 and 2 are also totals, for what a solver or kernel delivers itself. */
enum {
    COMBGPU__PERM_S_DONE = 1, /* WRITE: members delivered; COUNT: hits; HISTOGRAM: values outside */
    COMBGPU__PERM_S_HASH = 2,
    COMBGPU__PERM_S_RECORD_DONE = 16, /* the same for what went through records */
    COMBGPU__PERM_S_RECORD_HASH,
    COMBGPU__PERM_S_SEEN, /* the next two are valid */
    COMBGPU__PERM_S_KEY,  /* MINIMUM: the best value; MAXIMUM: its complement, which orders the
                             other way round and cannot overflow. SUM: low word */
    COMBGPU__PERM_S_RANK, /* SUM: high word */
    COMBGPU__PERM_S_NEXT, /* ordered: the rank at which the next window begins */
    COMBGPU__PERM_S_BINS = 32
};

typedef struct combgpu__perm_state {
    combgpu_perm_desc desc; /* n = places; count, item_bytes, bin_width set; no pointers to input */
    combgpu__set set;
    uint64_t end;   /* first + count */
    uint64_t piece; /* ranks of a task, a multiple of a group */
    uint64_t cut;   /* after the first, tasks begin at multiples of `piece` (then it is that) or
                            so many groups after the first one's */
    uint64_t mine;  /* members of this shard; ordered: about */
    size_t object;  /* bytes of one member as it is written */
    size_t caller_shift; /* device_out: bytes from the work memory to the output */
    /* WRITE */
    unsigned char *area; /* a device's area, on the host */
    size_t area_bytes;
    int area_filled;          /* it holds the bytes of the records that wait */
    unsigned char *chunk;     /* room for one record's members */
    combgpu__perm_walk *walk; /* behind the record that was made last */
    /* WRITE, all permutations */
    int all;
    combgpu_u128 base; /* what ranks count from; desc.first too */
    uint64_t orders;   /* permutations in a group: 720, or n! for n < 6 */
    int translates;    /* items are others than the bytes 0 .. n-1 */
    union {
        uint8_t b1[COMBGPU__PERM_MAX128];
        uint16_t b2[COMBGPU__PERM_MAX128];
        uint32_t b4[COMBGPU__PERM_MAX128];
        uint64_t b8[COMBGPU__PERM_MAX128];
    } items;
    uint8_t *groups; /* CPU, with vectors: combgpu__perm_groups */
    /* visits */
    const unsigned char *data;               /* the copy in job->tables */
    char *source;                            /* OpenCL: the visitor's source with n before it */
    uint32_t *fetched;                       /* what slice_done reads: slots, bins, or tasks */
    uint64_t floor;                          /* ordered: all smaller ranks are done */
    uint8_t columns[COMBGPU__VISIT_COLUMNS]; /* orders of 0 .. 5, place by place */
    uint8_t masks[4][96]; /* [x][24 * place + i] = 255 where order i of 0 .. 3 has x there */
} combgpu__perm_state;

/* A hit's part of the checksum: additive, and a block of 24 ranks takes one multiplication. */
COMBGPU__PRIVATE uint64_t combgpu__visit_hash(uint64_t rank)
{
    return combgpu__mix(rank / 24) << rank % 24;
}

/* A hash of a set of ranges that does not depend on how they were cut: borders within cancel. */
COMBGPU__PRIVATE uint64_t combgpu__perm_range_hash(uint64_t begin, uint64_t end)
{
    return combgpu__mix(end) - combgpu__mix(begin);
}

COMBGPU__PRIVATE int combgpu__visit_fast_n(const combgpu__perm_state *state)
{
    return state->set.family == COMBGPU_PERM_ALL || state->set.family == COMBGPU_PERM_CIRCULAR
               ? state->set.n
               : 0;
}

/* ---- members as the caller wants them */

/* Goes to a rank. */
COMBGPU__PRIVATE void combgpu__perm_walk_from(combgpu__perm_walk *walk,
                                              const combgpu__perm_state *state, uint64_t rank)
{
    if (state->set.n <= COMBGPU__PERM_MAX || !state->all)
        combgpu__set_walk_to(&state->set, walk, rank);
    else {
        combgpu_u128 whole = state->base;
        whole.lo += rank;
        whole.hi += whole.lo < rank;
        memset(walk, 0, sizeof *walk);
        walk->rank = rank;
        combgpu_perm_unrank128(NULL, state->set.n, whole, walk->perm);
    }
    walk->groups = state->groups;
    if (state->translates && state->desc.item_bytes == 1) walk->items = state->items.b1;
}

/* Values 0 .. n-1 to items of 2, 4 or 8 bytes. */
COMBGPU__PRIVATE void combgpu__perm_translate(const combgpu__perm_state *state,
                                              const uint8_t *values, size_t count, void *out)
{
    size_t i;
    if (state->desc.item_bytes == 2)
        for (i = 0; i < count; i++)
            ((uint16_t *)out)[i] = state->items.b2[values[i]];
    else if (state->desc.item_bytes == 4)
        for (i = 0; i < count; i++)
            ((uint32_t *)out)[i] = state->items.b4[values[i]];
    else
        for (i = 0; i < count; i++)
            ((uint64_t *)out)[i] = state->items.b8[values[i]];
}

/* Writes `count` members from `rank` on; the walk may stand anywhere, and stands behind them
   afterwards. */
COMBGPU__PRIVATE void combgpu__perm_make(const combgpu__perm_state *state, combgpu__perm_walk *walk,
                                         uint64_t rank, uint64_t count, unsigned char *out)
{
    size_t n = (size_t)state->desc.n;
    if (walk->rank != rank) combgpu__perm_walk_from(walk, state, rank);
    if (state->desc.item_bytes == 1) {
        combgpu__set_walk_write(&state->set, walk, count, out);
        return;
    }
    while (count) {
        uint8_t values[COMBGPU__PERM_GROUP * COMBGPU__PERM_MAX128];
        uint64_t some = COMBGPU__PERM_GROUP - walk->rank % COMBGPU__PERM_GROUP;
        if (some > count) some = count;
        combgpu__perm_walk_write(walk, (int)n, some, values);
        combgpu__perm_translate(state, values, (size_t)some * n, out);
        out += (size_t)some * state->object;
        count -= some;
    }
}

/* ---- validate */

/* What is set must belong to the goal. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate_goal(combgpu_context *ctx,
                                                            const combgpu_perm_desc *desc)
{
    const int writes = desc->goal == COMBGPU_PERM_WRITE, counts = desc->goal == COMBGPU_PERM_COUNT;
    const int bins = desc->goal == COMBGPU_PERM_HISTOGRAM, all = writes && !desc->set;
    const struct {
        const char *name;
        int set, belongs;
        const char *where;
    } fields[] = {
        {"visitor", desc->visitor != NULL, !writes, "goals other than WRITE"},
        {"data", desc->data || desc->data_bytes, !writes, "goals other than WRITE"},
        {"out", desc->out || desc->out_bytes, writes, "goal WRITE"},
        {"device_out", desc->device_out.memory != NULL, writes, "goal WRITE"},
        {"first_hi", desc->first_hi != 0, all, "goal WRITE without a set"},
        {"items", desc->items != NULL, all, "goal WRITE without a set"},
        {"item_bytes", desc->item_bytes != 0 && desc->item_bytes != 1, all,
         "goal WRITE without a set"},
        {"solution", desc->solution != NULL, writes || counts, "goals WRITE and COUNT"},
        {"limit", desc->limit != 0, counts, "goal COUNT"},
        {"ordered", desc->ordered != 0, counts && desc->solution, "goal COUNT with solution"},
        {"bins", desc->bins != 0, bins, "goal HISTOGRAM"},
        {"histogram", desc->histogram != NULL, bins, "goal HISTOGRAM"}};
    size_t i;
    if ((int)desc->goal < COMBGPU_PERM_WRITE || (int)desc->goal > COMBGPU_PERM_HISTOGRAM)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "goal is %d; it may be 0 (write), 1 (count), 2 (minimum), 3 (maximum), "
            "4 (sum), 5 (histogram)",
            (int)desc->goal);
    for (i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].set && !fields[i].belongs)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is set; it is for %s",
                                 fields[i].name, fields[i].where);
    if (bins && (desc->bins < 1 || desc->bins > COMBGPU__VISIT_BINS))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "bins is %d; with goal HISTOGRAM it may be 1 to %d", desc->bins,
                             COMBGPU__VISIT_BINS);
    if (bins && !desc->histogram)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "histogram is NULL; goal HISTOGRAM needs it");
    return COMBGPU_OK;
}

/* first and count, for an order of `members`; sets count if that is 0. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate_range(combgpu_context *ctx,
                                                             combgpu_perm_desc *desc, int n,
                                                             combgpu_u128 members)
{
    combgpu_u128 first, left;
    first.lo = desc->first;
    first.hi = desc->first_hi;
    if (!combgpu__u128_less(first, members)) {
        if (!members.hi && !first.hi)
            return combgpu__fail(
                ctx, COMBGPU_INVALID_ARGUMENT, "first is %llu; with n = %d it may be 0 to %llu",
                (unsigned long long)first.lo, n, (unsigned long long)members.lo - 1);
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "first_hi * 2^64 + first is %llu * 2^64 + %llu; with n = %d it must be "
            "below n! = %llu * 2^64 + %llu",
            (unsigned long long)first.hi, (unsigned long long)first.lo, n,
            (unsigned long long)members.hi, (unsigned long long)members.lo);
    }
    left.lo = members.lo - first.lo;
    left.hi = members.hi - first.hi - (members.lo < first.lo);
    if (left.hi || (members.hi && left.lo > UINT64_C(1) << 63)) {
        left.lo = UINT64_C(1) << 63;
        if (!desc->count)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "count is 0 (all): more than 2^63 permutations; set it");
    }
    if (desc->count > left.lo)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "count is %llu; with n = %d and first = %llu it may be 0 (all) to %llu",
            (unsigned long long)desc->count, n, (unsigned long long)first.lo,
            (unsigned long long)left.lo);
    if (!desc->count) desc->count = left.lo;
    return COMBGPU_OK;
}

/* WRITE: one of out, device_out and solution, with room, and items that can lie there. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate_write(combgpu_context *ctx,
                                                             const combgpu_perm_desc *desc)
{
    const combgpu_device_memory *device = &desc->device_out;
    const char *name = desc->out ? "out" : "device_out";
    size_t object = (size_t)desc->n * (size_t)desc->item_bytes;
    size_t bytes = desc->out ? desc->out_bytes : device->bytes;
    uintptr_t at = desc->out ? (uintptr_t)desc->out : device->offset;
    if (desc->item_bytes != 1 && desc->item_bytes != 2 && desc->item_bytes != 4 &&
        desc->item_bytes != 8)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "item_bytes is %d; it may be 1, 2, 4 or 8 (0 = 1)", desc->item_bytes);
    if (!desc->out + !desc->solution + !device->memory != 2)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "out, device_out.memory and solution are %s; goal WRITE needs one of "
                             "them",
                             !desc->out && !desc->solution && !device->memory ? "all NULL"
                             : desc->out && desc->solution ? "set, the first and the last"
                             : desc->out                   ? "set, the first and the second"
                                                           : "set, the second and the last");
    if (desc->solution) return COMBGPU_OK;
    if (desc->count > SIZE_MAX / object)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "count is %llu: so many permutations of %d items of %d bytes fit no memory",
            (unsigned long long)desc->count, desc->n, desc->item_bytes);
    if (bytes < (size_t)desc->count * object)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s%s is %llu; %llu permutations of %d items of %d bytes need %llu",
                             name, desc->out ? "_bytes" : ".bytes", (unsigned long long)bytes,
                             (unsigned long long)desc->count, desc->n, desc->item_bytes,
                             (unsigned long long)((size_t)desc->count * object));
    /* a cl_mem has no address, but begins at a multiple of more */
    if (!desc->out && ctx->device.backend != COMBGPU_BACKEND_OPENCL)
        at += (uintptr_t)device->memory;
    if (at % (uintptr_t)desc->item_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s begins %d bytes after a multiple of item_bytes, which is %d", name,
                             (int)(at % (uintptr_t)desc->item_bytes), desc->item_bytes);
    return COMBGPU_OK;
}

/* The other goals: a visitor with a form for each device, and its data. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_validate(combgpu_context *ctx,
                                                        const combgpu_perm_desc *desc)
{
    const combgpu_perm_visitor *visitor = desc->visitor;
    int i;
    if (!visitor)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "visitor is NULL; goals other than WRITE need one");
    if (!visitor->name)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "visitor->name is NULL");
    for (i = 0; i <= ctx->other_count; i++) {
        combgpu_backend backend = (i ? ctx->others[i - 1] : ctx)->device.backend;
        const char *missing =
            backend == COMBGPU_BACKEND_CPU && !visitor->cpu && !visitor->cpu_many ? "cpu"
            : backend == COMBGPU_BACKEND_OPENCL && !visitor->opencl_source        ? "opencl_source"
            : backend == COMBGPU_BACKEND_CUDA && !visitor->cuda_kernel            ? "cuda_kernel"
                                                                                  : NULL;
        if (missing)
            return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                                 "visitor %.100s has no form for %s: its %s is NULL", visitor->name,
                                 combgpu_backend_string(backend), missing);
    }
    if (desc->data_bytes > (size_t)1 << 30)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "data_bytes is %llu; it may be 0 to 1073741824",
                             (unsigned long long)desc->data_bytes);
    if (!desc->data != !desc->data_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "data is %s, but data_bytes is %llu",
                             desc->data ? "set" : "NULL", (unsigned long long)desc->data_bytes);
    return COMBGPU_OK;
}

/* Checks the description; fills in what is 0, and the set. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate(combgpu_context *ctx,
                                                       combgpu__perm_state *state)
{
    combgpu_perm_desc *desc = &state->desc;
    combgpu__set *set = &state->set;
    combgpu_u128 members;
    combgpu_status status;
    state->all = desc->goal == COMBGPU_PERM_WRITE && !desc->set;
    if (desc->set) {
        status = combgpu__set_check(ctx, desc->set, set);
        if (status) return status;
        if (desc->n && desc->n != set->n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "n is %d; with set->n = %d it may be 0", desc->n, set->n);
        if (!set->count)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "the set has no members");
    } else {
        int most = state->all ? COMBGPU__PERM_MAX128 : COMBGPU__PERM_MAX;
        if (desc->n < 1 || desc->n > most)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d%s",
                                 desc->n, most, state->all ? "" : ", with goal WRITE to 34");
        set->family = COMBGPU_PERM_ALL;
        set->n = set->length = desc->n;
        set->count = combgpu_factorial(desc->n).lo; /* for n > 20 it has no meaning */
    }
    status = combgpu__perm_validate_goal(ctx, desc);
    if (status) return status;
    members.hi = desc->set ? 0 : combgpu_factorial(set->n).hi;
    members.lo = set->count;
    desc->n = set->length;
    if (!desc->item_bytes) desc->item_bytes = 1;
    if (!desc->bin_width) desc->bin_width = 1;
    status = combgpu__perm_validate_range(ctx, desc, set->n, members);
    if (status) return status;
    return desc->goal == COMBGPU_PERM_WRITE ? combgpu__perm_validate_write(ctx, desc)
                                            : combgpu__visit_validate(ctx, desc);
}

/* ---- tables for writing all permutations */

/* Bytes of device memory that the area may have: a quarter, at most COMBGPU__PERM_AREA. */
COMBGPU__PRIVATE size_t combgpu__perm_area_most(const combgpu_context *ctx)
{
    uint64_t limit = ctx->desc.memory_limit ? ctx->desc.memory_limit : ctx->free_bytes / 2;
    return limit && limit / 4 < COMBGPU__PERM_AREA ? (size_t)(limit / 4) : COMBGPU__PERM_AREA;
}

/* What kernel combgpu_perm_write looks up, for groups that begin `shift` bytes after a 16-byte unit:

   1. for each unit that a group touches two words: of items of one byte the 16 nibbles that choose
      among the suffix (the last six elements; 6 = none of them), else up to 8 bytes: the places.
   2. items of one byte: words whose bytes are places (63 = none): the suffix, nothing, and then the
      units without what comes from the suffix, as many as there are until places repeat.

   words NULL: only counts. */
COMBGPU__PRIVATE size_t combgpu__perm_pattern(const combgpu__perm_state *state, size_t shift,
                                              size_t units, size_t period, uint32_t *words)
{
    size_t n = (size_t)state->desc.n, item = (size_t)state->desc.item_bytes, i, place;
    size_t suffix = n < COMBGPU__PERM_PLACES ? n : COMBGPU__PERM_PLACES;
    size_t total = 2 * units + (item == 1 ? 4 + 4 * period : 0), from = 2 * units + 4;
    uint8_t perm[COMBGPU__PERM_MAX128];
    if (!words) return total;
    memset(words, 0, total * sizeof(uint32_t));
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    for (i = 0; item == 1 && i < 2 * units; i++)
        words[i] = 0x66666666u;
    for (i = 0; i < (size_t)state->orders * n; i++) { /* item i of the group */
        size_t at = i + shift / item, place_in = at % (16 / item);
        uint32_t *unit = words + 2 * (at / (16 / item));
        place = i % n;
        if (item > 1)
            unit[place_in / 4] |= (uint32_t)perm[place] << 8 * (place_in % 4);
        else if (place >= n - suffix)
            unit[place_in / 8] ^= (6u ^ (uint32_t)(perm[place] - (n - suffix)))
                                  << 4 * (place_in % 8);
        if (place == n - 1) combgpu_perm_next((int)n, perm);
    }
    for (i = 0; item == 1 && i < 16 + 16 * period; i++) {
        if (i < 16)
            place = i < suffix ? n - suffix + i : 63;
        else {
            place = (i - 16 + 16 * n - shift) % n;
            if (place >= n - suffix) place = 63;
        }
        words[from - 4 + i / 4] |= (uint32_t)place << 8 * (i % 4);
    }
    return total;
}

/* The items, and for a kernel where they go. */
COMBGPU__PRIVATE void combgpu__perm_items(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    int n = state->desc.n, bytes = state->desc.item_bytes, i;
    for (i = 0; i < n; i++) {
        uint64_t x = (uint64_t)i;
        if (bytes == 1)
            x = state->items.b1[i] =
                state->desc.items ? ((const uint8_t *)state->desc.items)[i] : (uint8_t)i;
        else if (!state->desc.items) {
            if (bytes == 2) state->items.b2[i] = (uint16_t)i;
            if (bytes == 4) state->items.b4[i] = (uint32_t)i;
            if (bytes == 8) state->items.b8[i] = (uint64_t)i;
        } else { /* the caller's need not be aligned */
            const unsigned char *item = (const unsigned char *)state->desc.items + i * bytes;
            memcpy((unsigned char *)&state->items + i * bytes, item, (size_t)bytes);
            x = bytes == 2   ? state->items.b2[i]
                : bytes == 4 ? state->items.b4[i]
                             : state->items.b8[i];
        }
        combgpu__put64(job->tables + COMBGPU__PERM_T_ITEMS + 2 * i, x);
        state->translates |= bytes > 1 || x != (uint64_t)i;
    }
}

/* For the kernels' unranking: a digit of a group's number is (number / divisor) % (elements left). */
COMBGPU__PRIVATE void combgpu__perm_divisors(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint8_t perm[COMBGPU__PERM_MAX128], digits[COMBGPU__PERM_MAX128];
    int n = state->desc.n, i;
    for (i = COMBGPU__PERM_PLACES; i <= COMBGPU__PERM_MAX; i++)
        combgpu__put64(job->tables + COMBGPU__PERM_T_DIVISORS + 2 * i,
                       combgpu_factorial(i).lo / COMBGPU__PERM_GROUP);
    if (n <= COMBGPU__PERM_MAX) return;
    combgpu_perm_unrank128(NULL, n, state->base, perm);
    combgpu__perm_digits(n, perm, digits);
    for (i = 0; i < n - COMBGPU__PERM_PLACES; i++)
        job->tables[COMBGPU__PERM_T_BASE + i] = digits[i];
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_tables(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    int on_device = job->ctx->device.backend != COMBGPU_BACKEND_CPU;
    size_t group = ((size_t)state->orders * state->object + 15) / 16 * 16, shift = 0, units = 0;
    size_t period = (size_t)desc->n, data = COMBGPU__PERM_T_PATTERN, groups, most;
    combgpu_status status;
    while (period % 2 == 0 && (size_t)desc->n / period < 16)
        period /= 2; /* n / gcd(n, 16) */
    if (on_device) {
        size_t from = state->caller_shift % 16 + 16 * state->object -
                      (size_t)(desc->first % state->orders) * state->object % 16;
        shift = desc->device_out.memory ? from % 16 : 0;
        units = ((size_t)state->orders * state->object + shift + 15) / 16;
        data += combgpu__perm_pattern(state, shift, units, period, NULL);
    }
    status = combgpu__job_tables(job, data);
    if (status) return status;
    combgpu__perm_items(job);
    if (!on_device) return COMBGPU_OK;
    job->tables[COMBGPU__PERM_T_N] = (uint32_t)desc->n;
    job->tables[COMBGPU__PERM_T_PREFIX] = (uint32_t)(desc->n > 6 ? desc->n - 6 : 0);
    job->tables[COMBGPU__PERM_T_ORDERS] = (uint32_t)state->orders;
    job->tables[COMBGPU__PERM_T_VECTORS] = (uint32_t)(group / 16);
    job->tables[COMBGPU__PERM_T_TASK_GROUPS] = (uint32_t)(state->piece / state->orders);
    job->tables[COMBGPU__PERM_T_ITEM_BYTES] = (uint32_t)desc->item_bytes;
    job->tables[COMBGPU__PERM_T_SHIFT] = (uint32_t)shift;
    job->tables[COMBGPU__PERM_T_UNITS] = (uint32_t)units;
    job->tables[COMBGPU__PERM_T_PERIOD] = (uint32_t)period;
    combgpu__put64(job->tables + COMBGPU__PERM_T_FIRST, desc->first);
    combgpu__put64(job->tables + COMBGPU__PERM_T_OFFSET, state->caller_shift);
    combgpu__perm_divisors(job);
    combgpu__perm_pattern(state, shift, units, period, job->tables + COMBGPU__PERM_T_PATTERN);
    if (desc->device_out.memory) return COMBGPU_OK;
    groups = (size_t)(state->end / state->orders - desc->first / state->orders + 2);
    most = combgpu__perm_area_most(job->ctx) / group;
    if (groups > most) groups = most;
    if (groups < COMBGPU__PERM_PIECE / COMBGPU__PERM_GROUP) /* what a record may have */
        groups = COMBGPU__PERM_PIECE / COMBGPU__PERM_GROUP;
    state->area_bytes = groups * group;
    job->tables[COMBGPU__PERM_T_AREA] = (uint32_t)(state->area_bytes / 16);
    return COMBGPU_OK;
}

/* ---- tables for sets and visits */

COMBGPU__PRIVATE void combgpu__visit_fill_set(uint32_t *tables, const combgpu__set *set)
{
    int i;
    tables[COMBGPU__VISIT_T_FAMILY] = (uint32_t)set->family;
    tables[COMBGPU__VISIT_T_N] = (uint32_t)set->n;
    tables[COMBGPU__VISIT_T_K] = (uint32_t)set->k;
    tables[COMBGPU__VISIT_T_LENGTH] = (uint32_t)set->length;
    combgpu__put64(tables + COMBGPU__VISIT_T_COUNT, set->count);
    memcpy(tables + COMBGPU__VISIT_T_REPEATS, set->repeats, sizeof set->repeats);
    for (i = 0; i < 21 * 21; i++)
        combgpu__put64(tables + COMBGPU__VISIT_T_DERANGEMENTS + 2 * i,
                       set->derangements[i / 21][i % 21]);
}

/* For the kernel that writes multisets: the orders of six places for each way in which values may be
   equal in them (a set bit i of the shape: the value of place i + 1 is another one than that of place
   i, in ascending order), all in all 4683, the ordered partitions of six. An order has a nibble for
   each place, an index into the six. */
COMBGPU__PRIVATE void combgpu__visit_fill_shapes(uint32_t *tables)
{
    uint32_t *orders = tables + COMBGPU__VISIT_T_ORDERS, used = 0;
    uint32_t shape, i;
    for (shape = 0; shape < 32; shape++) {
        uint8_t six[6] = {0, 0, 0, 0, 0, 0};
        tables[COMBGPU__VISIT_T_SHAPES + shape] = used;
        for (i = 1; i < 6; i++) /* of equal ones the first stands for all */
            six[i] = (uint8_t)(shape >> (i - 1) & 1 ? i : six[i - 1]);
        do {
            orders[used] = 0;
            for (i = 0; i < 6; i++)
                orders[used] |= (uint32_t)six[i] << (4 * i);
            used++;
        } while (combgpu_perm_next(6, six));
    }
    tables[COMBGPU__VISIT_T_SHAPES + 32] = used;
    for (i = 1; i <= 64; i++)
        tables[COMBGPU__VISIT_T_RECIPROCALS + i] = (uint32_t)(UINT64_C(0xffffffff) / i + 1);
}

/* For combgpu__visit_columns. */
COMBGPU__PRIVATE void combgpu__visit_fill_columns(combgpu__perm_state *state)
{
    uint8_t four[4] = {0, 1, 2, 3}, six[6] = {0, 1, 2, 3, 4, 5};
    int i, j;
    for (j = 0; j < 24; j++, combgpu_perm_next(4, four))
        for (i = 0; i < 4; i++)
            state->masks[four[i]][24 * i + j] = 255;
    for (j = 0; j < COMBGPU__PERM_GROUP; j++, combgpu_perm_next(6, six))
        for (i = 0; i < 6; i++)
            state->columns[i * COMBGPU__PERM_GROUP + j] = six[i];
}

COMBGPU__PRIVATE combgpu_status combgpu__visit_tables(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    int writes = desc->goal == COMBGPU_PERM_WRITE;
    size_t data = COMBGPU__VISIT_T_END, bytes = combgpu__perm_area_most(job->ctx);
    combgpu_status status = combgpu__job_tables(job, data + (desc->data_bytes + 3) / 4);
    if (status) return status;
    combgpu__visit_fill_set(job->tables, &state->set);
    if (writes)
        combgpu__visit_fill_shapes(job->tables);
    else
        combgpu__visit_fill_columns(state);
    job->tables[COMBGPU__VISIT_T_GOAL] = (uint32_t)desc->goal;
    job->tables[COMBGPU__VISIT_T_LIST] = desc->solution || desc->limit;
    job->tables[COMBGPU__VISIT_T_DATA] = (uint32_t)data;
    job->tables[COMBGPU__VISIT_T_BINS] = (uint32_t)desc->bins;
    combgpu__put64(job->tables + COMBGPU__VISIT_T_FIRST, (uint64_t)desc->bin_first);
    combgpu__put64(job->tables + COMBGPU__VISIT_T_WIDTH, desc->bin_width);
    state->data = (const unsigned char *)(job->tables + data);
    if (desc->data_bytes) memcpy(job->tables + data, desc->data, desc->data_bytes);
    job->tables[COMBGPU__VISIT_T_DIRECT] = job->caller_work.handle != NULL;
    combgpu__put64(job->tables + COMBGPU__VISIT_T_RANK, desc->first);
    combgpu__put64(job->tables + COMBGPU__VISIT_T_OFFSET, state->caller_shift);
    if (!writes || job->caller_work.handle || job->ctx->device.backend == COMBGPU_BACKEND_CPU)
        return COMBGPU_OK;
    if (desc->count < bytes / (unsigned)desc->n)
        bytes = (size_t)desc->count * (unsigned)desc->n + ((size_t)1 << 20);
    state->area_bytes = (bytes < ((size_t)1 << 18) ? (size_t)1 << 18 : bytes) / 16 * 16;
    job->tables[COMBGPU__VISIT_T_AREA] = (uint32_t)(state->area_bytes / 16);
    return COMBGPU_OK;
}

/* ---- frontier */

/* Where the task that begins at rank `begin` ends: `piece` ranks after the last multiple of `cut`. */
COMBGPU__PRIVATE uint64_t combgpu__perm_cut(uint64_t begin, uint64_t end, uint64_t piece,
                                            uint64_t cut)
{
    uint64_t size = piece - begin % cut;
    return end - begin > size ? begin + size : end;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_push(combgpu_job *job, uint64_t begin, uint64_t end,
                                                   uint64_t piece, uint64_t cut)
{
    combgpu_status status = COMBGPU_OK;
    while (begin < end && !status) {
        uint32_t task[4];
        combgpu__put64(task, begin);
        begin = combgpu__perm_cut(begin, end, piece, cut);
        combgpu__put64(task + 2, begin);
        status = combgpu__push(job, task);
    }
    return status;
}

/* Ordered: pushes windows until there are `enough` tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_windows(combgpu_job *job, size_t enough)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t *next = &job->sums[COMBGPU__PERM_S_NEXT], stop, groups;
    combgpu_status status = COMBGPU_OK;
    if (*next < state->desc.first || *next > state->end) *next = state->end; /* from a file */
    while (*next < state->end && combgpu__tasks_left(job) < enough && !status) {
        groups = *next / COMBGPU__PERM_GROUP - state->desc.first / COMBGPU__PERM_GROUP;
        groups += COMBGPU__VISIT_WINDOW;
        if (groups > COMBGPU__VISIT_WINDOW_MOST) groups = COMBGPU__VISIT_WINDOW_MOST;
        stop =
            combgpu__perm_cut(*next, state->end, groups * COMBGPU__PERM_GROUP, COMBGPU__PERM_GROUP);
        status = combgpu__perm_push(job, *next, stop,
                                    (groups / COMBGPU__VISIT_WINDOW + 1) * COMBGPU__PERM_GROUP,
                                    COMBGPU__PERM_GROUP);
        *next = stop;
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_frontier(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    if (!state->desc.ordered)
        return combgpu__perm_push(job, state->desc.first, state->end, state->piece, state->cut);
    job->sums[COMBGPU__PERM_S_NEXT] = state->desc.first;
    return combgpu__visit_windows(job, 1);
}

/* Members of this shard; ordered: about, since nobody knows the windows yet. */
COMBGPU__PRIVATE uint64_t combgpu__perm_mine(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t shards = job->run.shard_count > 1 ? (uint64_t)job->run.shard_count : 1;
    uint64_t begin = state->desc.first, end, i, mine = 0;
    if (state->desc.ordered) return state->desc.count / shards + 1;
    for (i = 0; begin < state->end; i++, begin = end) {
        end = combgpu__perm_cut(begin, state->end, state->piece, state->cut);
        if (i % shards == (uint64_t)job->run.shard_index) mine += end - begin;
    }
    return mine;
}

/* ---- C solvers */

/* Gives back a range, in two parts when there are too few tasks for all workers. */
COMBGPU__PRIVATE void combgpu__perm_give(combgpu__worker *worker, uint64_t begin, uint64_t end)
{
    uint32_t task[4];
    uint64_t middle = begin + (end - begin) / 2 / COMBGPU__PERM_GROUP * COMBGPU__PERM_GROUP;
    combgpu__put64(task, begin);
    if (middle > begin && worker->slice->task_count < 2 * worker->slice->workers) {
        combgpu__put64(task + 2, middle);
        combgpu__give(worker, task);
        combgpu__put64(task, middle);
    }
    combgpu__put64(task + 2, end);
    if (begin < end) combgpu__give(worker, task);
}

/* How many members from `begin` on a solver takes at once: at most `most`, to the border of a group if
   that is nearer, and what the budget allows. */
COMBGPU__PRIVATE uint64_t combgpu__perm_portion(const combgpu__worker *worker, uint64_t begin,
                                                uint64_t end, uint64_t most)
{
    uint64_t budget = worker->slice->budget - worker->totals[0]; /* > 0: not spent */
    uint64_t portion = combgpu__perm_cut(begin, end, most, COMBGPU__PERM_GROUP) - begin;
    return portion > budget ? budget : portion;
}

/* WRITE to the caller's memory; without it only says which members there are: they are made when
   they are handed over. */
COMBGPU__PRIVATE void combgpu__perm_solve_write(combgpu__worker *worker)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)worker->job->state;
    const combgpu_perm_desc *desc = &state->desc;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2), from = begin;
        uint64_t most = desc->out ? COMBGPU__PERM_PIECE : COMBGPU__PERM_CHUNK;
        combgpu__perm_walk walk;
        if (desc->out) combgpu__perm_walk_from(&walk, state, begin);
        /* memory that no cache would hold until somebody reads it */
        walk.stream = desc->item_bytes == 1 && desc->count > COMBGPU__PERM_STREAM / state->object;
        while (begin < end && !combgpu__spent(worker)) {
            uint64_t portion = combgpu__perm_portion(worker, begin, end, most);
            uint32_t record[4] = {0, 0, 0, 0};
            combgpu__put64(record, begin);
            record[2] = (uint32_t)portion;
            if (desc->out)
                combgpu__perm_make(state, &walk, begin, portion,
                                   (unsigned char *)desc->out +
                                       (size_t)(begin - desc->first) * state->object);
            else if (!combgpu__emit(worker, record))
                break;
            begin += portion;
            worker->totals[0] += portion;
        }
        if (desc->out) {
            worker->totals[COMBGPU__PERM_S_DONE] += begin - from;
            worker->totals[COMBGPU__PERM_S_HASH] += combgpu__perm_range_hash(from, begin);
        }
        combgpu__perm_give(worker, begin, end);
    }
}

/* What a solver has of its visits. */
typedef struct combgpu__visit_sum {
    int64_t best_key;
    uint64_t best_rank, low, high;
    uint64_t bins[COMBGPU__VISIT_BINS];
} combgpu__visit_sum;

/* The hits of the 24 ranks of a block as bits; each is a byte 0 or 1. */
COMBGPU__PRIVATE uint32_t combgpu__visit_bits(const unsigned char *hits)
{
    uint32_t bits = 0;
    int i;
    for (i = 0; i < 24; i += 8, hits += 8) { /* compilers make one load of it */
        uint64_t eight = hits[0] | (uint64_t)hits[1] << 8 | (uint64_t)hits[2] << 16 |
                         (uint64_t)hits[3] << 24 | (uint64_t)hits[4] << 32 |
                         (uint64_t)hits[5] << 40 | (uint64_t)hits[6] << 48 |
                         (uint64_t)hits[7] << 56;
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

/* COUNT: adds up or lists the hits among `count` members of a group from rank `begin` on; returns how
   many were dealt with: all, or those before the first hit that found no room. hits[i] belongs to rank
   i of the group, and outside of the range is 0. */
COMBGPU__PRIVATE uint64_t combgpu__visit_count(combgpu__worker *worker, uint64_t begin,
                                               uint64_t count, const unsigned char *hits)
{
    uint64_t block = begin / COMBGPU__PERM_GROUP * (COMBGPU__PERM_GROUP / 24);
    uint64_t blocks = (begin + count + 23) / 24, found = 0, hash = 0;
    int list = (int)worker->tables[COMBGPU__VISIT_T_LIST], i;
    for (; block < blocks; block++, hits += 24) {
        uint32_t bits = combgpu__visit_bits(hits), record[4] = {0, 0, 1, 0};
        if (!bits) continue;
        for (i = 0; list && i < 24; i++) {
            combgpu__put64(record, 24 * block + (uint64_t)i);
            if (bits >> i & 1 && !combgpu__emit(worker, record))
                return 24 * block + (uint64_t)i - begin;
        }
        found += (uint64_t)combgpu__popcount64(bits);
        hash += combgpu__mix(block) * bits;
    }
    if (list) return count;
    worker->totals[COMBGPU__PERM_S_DONE] += found;
    worker->totals[COMBGPU__PERM_S_HASH] += hash;
    return count;
}

/* The other goals: `count` values from rank `begin` on. */
COMBGPU__PRIVATE void combgpu__visit_add(combgpu__worker *worker, combgpu__visit_sum *sum,
                                         uint64_t begin, int count, const int64_t *values)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)worker->job->state;
    const combgpu_perm_desc *desc = &state->desc;
    int64_t flip = desc->goal == COMBGPU_PERM_MAXIMUM ? -1 : 0, least = INT64_MAX;
    int i;
    switch (desc->goal) {
    case COMBGPU_PERM_SUM:
        for (i = 0; i < count; i++) {
            sum->low += (uint64_t)values[i];
            sum->high += (sum->low < (uint64_t)values[i]) - (uint64_t)(values[i] < 0);
        }
        break;
    case COMBGPU_PERM_HISTOGRAM:
        for (i = 0; i < count; i++) {
            uint64_t bin = (uint64_t)values[i] - (uint64_t)desc->bin_first;
            if (desc->bin_width != 1) bin /= desc->bin_width;
            if (values[i] >= desc->bin_first && bin < (uint64_t)desc->bins)
                sum->bins[bin]++;
            else
                worker->totals[COMBGPU__PERM_S_DONE]++;
        }
        break;
    default: /* the smallest first, which is SIMD; where it is only if it is a new one */
        for (i = 0; i < count; i++)
            least = (values[i] ^ flip) < least ? values[i] ^ flip : least;
        if (least > sum->best_key) break;
        for (i = 0; (values[i] ^ flip) != least; i++) {
        }
        if (least == sum->best_key && begin + (uint64_t)i >= sum->best_rank) break;
        sum->best_key = least;
        sum->best_rank = begin + (uint64_t)i;
    }
}

/* The last six places of a group, whose elements there are six[0] < ... < six[5], as columns of 720
   bytes. With byte shuffles that is one substitution for all; else the last four are made of 24 orders
   of four elements by masks, which any compiler makes SIMD of. */
COMBGPU__PRIVATE void combgpu__visit_columns(const combgpu__perm_state *state, const uint8_t *six,
                                             uint8_t *out)
{
    int i, j, k, t;
#ifdef COMBGPU__VECTOR
    uint8_t values[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    combgpu__vector table;
    (void)j, (void)k, (void)t;
    memcpy(values, six, 6);
    table = COMBGPU__TABLE(values);
    for (i = 0; i < COMBGPU__VISIT_COLUMNS; i += COMBGPU__VECTOR)
        COMBGPU__STORE(out + i, COMBGPU__LOOKUP(table, COMBGPU__LOAD(state->columns + i)));
#else
    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) {
            uint8_t four[4], block[96];
            if (j == i) continue;
            for (t = k = 0; k < 6; k++)
                if (k != i && k != j) four[t++] = six[k];
            for (t = 0; t < 96; t++)
                block[t] =
                    (uint8_t)((four[0] & state->masks[0][t]) | (four[1] & state->masks[1][t]) |
                              (four[2] & state->masks[2][t]) | (four[3] & state->masks[3][t]));
            memset(out, six[i], 24);
            memset(out + COMBGPU__PERM_GROUP, six[j], 24);
            for (k = 0; k < 4; k++)
                memcpy(out + (k + 2) * COMBGPU__PERM_GROUP, block + 24 * k, 24);
            out += 24;
        }
#endif
}

/* Values or hits of a portion of one group; hits[i] belongs to rank i of the group. The walk moves on. */
COMBGPU__PRIVATE void combgpu__visit_values(const combgpu__perm_state *state,
                                            combgpu__perm_walk *walk, int count,
                                            unsigned char *perms, int64_t *values,
                                            unsigned char *hits, int *grouped)
{
    const combgpu_perm_visitor *visitor = state->desc.visitor;
    int n = state->desc.n, count_goal = state->desc.goal == COMBGPU_PERM_COUNT, i;
    if (*grouped && count == COMBGPU__PERM_GROUP) {
        combgpu__visit_columns(state, walk->perm + n - 6, perms);
        *grouped =
            visitor->cpu_group(walk->perm, n, perms, state->data, values, count_goal ? hits : NULL);
        if (*grouped) {
            combgpu__perm_reverse(walk->perm + n - 6, walk->perm + n);
            walk->rank += COMBGPU__PERM_GROUP - 1;
            combgpu__set_walk_next(&state->set, walk);
            return;
        }
    }
    i = (int)(walk->rank % COMBGPU__PERM_GROUP);
    if (count_goal) memset(hits, 0, COMBGPU__PERM_GROUP);
    hits += i;
    combgpu__set_walk_write(&state->set, walk, (uint64_t)count, perms);
    if (visitor->cpu_many)
        visitor->cpu_many(perms, n, state->data, count, values);
    else
        for (i = 0; i < count; i++)
            values[i] = visitor->cpu(perms + i * n, n, state->data);
    if (count_goal)
        for (i = 0; i < count; i++)
            hits[i] = values[i] != 0;
}

/* Takes the worker's sum to where slice_done finds it. */
COMBGPU__PRIVATE void combgpu__visit_hand_in(combgpu__worker *worker, const combgpu__visit_sum *sum)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)worker->job->state;
    uint32_t *slot;
    int i;
    if (state->desc.goal == COMBGPU_PERM_HISTOGRAM) {
        slot = worker->work + ((size_t)worker->index + 1) * 2 * (size_t)state->desc.bins;
        for (i = 0; i < state->desc.bins; i++)
            combgpu__put64(slot + 2 * i, sum->bins[i]);
    } else if (state->desc.goal != COMBGPU_PERM_COUNT) {
        int adds = state->desc.goal == COMBGPU_PERM_SUM;
        slot = worker->work + (size_t)worker->index * COMBGPU__VISIT_SLOT_WORDS;
        combgpu__put64(slot, adds ? sum->low : (uint64_t)sum->best_key);
        combgpu__put64(slot + 2, adds ? sum->high : sum->best_rank);
    }
}

COMBGPU__PRIVATE void combgpu__visit_solve(combgpu__worker *worker)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)worker->job->state;
    unsigned char perms[COMBGPU__PERM_GROUP * COMBGPU__PERM_MOST], hits[COMBGPU__PERM_GROUP];
    int64_t values[COMBGPU__PERM_GROUP];
    combgpu__visit_sum sum;
    const uint32_t *task;
    int grouped = state->desc.visitor->cpu_group && combgpu__visit_fast_n(state) > 6;
    memset(&sum, 0, sizeof sum);
    sum.best_key = INT64_MAX;
    sum.best_rank = COMBGPU__PERM_NO_RANK;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
        combgpu__perm_walk walk;
        combgpu__set_walk_to(&state->set, &walk, begin);
        while (begin < end && !combgpu__spent(worker)) {
            uint64_t portion = combgpu__perm_portion(worker, begin, end, COMBGPU__PERM_GROUP);
            uint64_t done = portion;
            combgpu__visit_values(state, &walk, (int)portion, perms, values, hits, &grouped);
            if (state->desc.goal == COMBGPU_PERM_COUNT)
                done = combgpu__visit_count(worker, begin, portion, hits);
            else
                combgpu__visit_add(worker, &sum, begin, (int)portion, values);
            begin += done;
            worker->totals[0] += done;
            if (done < portion) break;
        }
        combgpu__perm_give(worker, begin, end);
    }
    combgpu__visit_hand_in(worker, &sum);
}

/* ---- slice_done: what the workers have in work memory */

/* MINIMUM, MAXIMUM: keeps the smaller key, of equal ones the smaller rank. */
COMBGPU__PRIVATE void combgpu__visit_take_best(uint64_t *sums, uint64_t key, uint64_t rank)
{
    int64_t signed_key = (int64_t)key, best = (int64_t)sums[COMBGPU__PERM_S_KEY];
    if (sums[COMBGPU__PERM_S_SEEN] &&
        (signed_key > best || (signed_key == best && rank >= sums[COMBGPU__PERM_S_RANK])))
        return;
    sums[COMBGPU__PERM_S_SEEN] = 1;
    sums[COMBGPU__PERM_S_KEY] = key;
    sums[COMBGPU__PERM_S_RANK] = rank;
}

/* SUM: adds 128 bits. */
COMBGPU__PRIVATE void combgpu__visit_take_sum(uint64_t *sums, uint64_t low, uint64_t high)
{
    sums[COMBGPU__PERM_S_KEY] += low;
    sums[COMBGPU__PERM_S_RANK] += high + (sums[COMBGPU__PERM_S_KEY] < low);
}

/* Shards: everything adds up but the best, and the sum carries. */
COMBGPU__PRIVATE void combgpu__perm_merge(combgpu_job *job, const uint64_t *sums)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t key = sums[COMBGPU__PERM_S_KEY], rank = sums[COMBGPU__PERM_S_RANK];
    int i;
    for (i = 0; i < COMBGPU__SUMS; i++)
        if (i < COMBGPU__PERM_S_SEEN || i > COMBGPU__PERM_S_NEXT) job->sums[i] += sums[i];
    if (state->desc.goal == COMBGPU_PERM_SUM)
        combgpu__visit_take_sum(job->sums, key, rank);
    else if (sums[COMBGPU__PERM_S_SEEN])
        combgpu__visit_take_best(job->sums, key, rank);
}

/* MINIMUM, MAXIMUM, SUM: a slot of each worker. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_fetch_slots(combgpu_job *job,
                                                           const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    uint32_t i;
    combgpu_status status = share->backend->download(
        share->ctx, state->fetched, &share->memory[COMBGPU__WORK], 0,
        (size_t)share->workers * COMBGPU__VISIT_SLOT_WORDS * sizeof(uint32_t));
    for (i = 0; i < share->workers && !status; i++) {
        const uint32_t *slot = state->fetched + (size_t)i * COMBGPU__VISIT_SLOT_WORDS;
        uint64_t key = combgpu__get64(slot), rank = combgpu__get64(slot + 2);
        if (state->desc.goal == COMBGPU_PERM_SUM) {
            combgpu__visit_take_sum(job->sums, key, rank);
        } else if (rank != COMBGPU__PERM_NO_RANK) {
            if (rank < state->desc.first || rank >= state->end)
                return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                                     "kernel %s returned rank %llu, which is not in the range",
                                     job->kernel.name, (unsigned long long)rank);
            combgpu__visit_take_best(job->sums, key, rank);
        }
    }
    return status;
}

/* HISTOGRAM: the device's bins, which begin every slice at 0, or behind them each thread's. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_fetch_bins(combgpu_job *job,
                                                          const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    size_t bins = (size_t)state->desc.bins, bytes = 8 * bins, i;
    int is_cpu = share->backend->id == COMBGPU_BACKEND_CPU;
    size_t times = is_cpu ? share->workers : 1;
    combgpu__memory work = share->memory[COMBGPU__WORK];
    combgpu_status status = share->backend->download(share->ctx, state->fetched, &work,
                                                     is_cpu ? bytes : 0, times * bytes);
    for (i = 0; i < times * bins && !status; i++)
        job->sums[COMBGPU__PERM_S_BINS + i % bins] += combgpu__get64(state->fetched + 2 * i);
    if (status || is_cpu) return status;
    memset(state->fetched, 0, bytes);
    return share->backend->upload(share->ctx, &work, 0, state->fetched, bytes);
}

/* Bytes from where a record's area begins, which is a group's beginning where all permutations are
   written, to its first member. */
COMBGPU__PRIVATE size_t combgpu__perm_area_skip(const combgpu__perm_state *state, uint64_t rank)
{
    return state->all ? (size_t)(rank % state->orders) * state->object : 0;
}

/* A record that waits, of WRITE: can it be? */
COMBGPU__PRIVATE int combgpu__perm_is_piece(const combgpu__perm_state *state,
                                            const uint32_t *record)
{
    uint64_t rank = combgpu__get64(record);
    return rank >= state->desc.first && rank < state->end && record[2] >= 1 &&
           record[2] <= state->end - rank && record[2] <= COMBGPU__PERM_PIECE;
}

/* WRITE on a device: fetches the part of the area that the slice's records speak of. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_fetch_area(combgpu_job *job,
                                                         const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    uint64_t used = 0;
    size_t i;
    for (i = job->pending_next; i < job->pending_count; i++) {
        const uint32_t *record = job->pending + i * job->record_words;
        uint64_t end = (uint64_t)record[3] * 16 + (uint64_t)record[2] * state->object +
                       combgpu__perm_area_skip(state, combgpu__get64(record));
        if (!combgpu__perm_is_piece(state, record) || end > state->area_bytes)
            return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                                 "kernel %s returned a record that cannot be", job->kernel.name);
        if (end > used) used = end;
    }
    state->area_filled = 1;
    if (!used) return COMBGPU_OK;
    return share->backend->download(share->ctx, state->area, &share->memory[COMBGPU__WORK], 0,
                                    (size_t)used);
}

/* Ordered: new windows, and the smallest rank that is not done yet. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_go_on(combgpu_job *job, const combgpu__share *share)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const uint32_t *task = state->fetched;
    size_t i;
    combgpu_status status = combgpu__visit_windows(job, share->workers);
    if (!status && share->pool_count)
        status = share->backend->download(share->ctx, state->fetched, &share->memory[COMBGPU__POOL],
                                          0, share->pool_count * 4 * sizeof(uint32_t));
    state->floor = job->sums[COMBGPU__PERM_S_NEXT];
    for (i = 0; i < share->pool_count && !status; i++, task += 4)
        if (combgpu__get64(task) < state->floor) state->floor = combgpu__get64(task);
    for (i = 0, task = job->reserve; i < job->reserve_count && !status; i++, task += 4)
        if (combgpu__get64(task) < state->floor) state->floor = combgpu__get64(task);
    return status;
}

COMBGPU__PRIVATE int combgpu__perm_compare(const void *a, const void *b)
{
    uint64_t x = combgpu__get64((const uint32_t *)a), y = combgpu__get64((const uint32_t *)b);
    return x < y ? -1 : x > y;
}

/* By rank: for ordered hits, and what every reader of a short list expects. */
COMBGPU__PRIVATE void combgpu__perm_sort(combgpu_job *job)
{
    size_t words = job->record_words, i = job->pending_next + 1;
    while (i < job->pending_count &&
           combgpu__perm_compare(job->pending + (i - 1) * words, job->pending + i * words) <= 0)
        i++;
    if (i < job->pending_count) /* often they are sorted */
        qsort(job->pending + job->pending_next * words, job->pending_count - job->pending_next,
              words * sizeof(uint32_t), combgpu__perm_compare);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_slice_done(combgpu_job *job,
                                                         const combgpu__share *share)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    combgpu_status status = COMBGPU_OK;
    switch (state->desc.goal) {
    case COMBGPU_PERM_WRITE:
        if (state->area) status = combgpu__perm_fetch_area(job, share);
        break;
    case COMBGPU_PERM_COUNT:
        if (state->desc.ordered) status = combgpu__visit_go_on(job, share);
        break;
    case COMBGPU_PERM_HISTOGRAM:
        status = combgpu__visit_fetch_bins(job, share);
        break;
    default:
        status = combgpu__visit_fetch_slots(job, share);
    }
    if (state->desc.solution) combgpu__perm_sort(job);
    return status;
}

/* ---- record, and what else the engine asks */

COMBGPU__PRIVATE uint64_t combgpu__perm_done(const combgpu_job *job)
{
    return job->sums[COMBGPU__PERM_S_DONE] + job->sums[COMBGPU__PERM_S_RECORD_DONE];
}

COMBGPU__PRIVATE combgpu_status combgpu__visit_hit(combgpu_job *job, uint64_t rank)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    combgpu__perm_walk walk;
    int stop = 0;
    if (desc->ordered && rank >= state->floor && combgpu__tasks_left(job)) return COMBGPU__LATER;
    job->sums[COMBGPU__PERM_S_RECORD_DONE]++;
    job->sums[COMBGPU__PERM_S_RECORD_HASH] += combgpu__visit_hash(rank);
    if (desc->solution) {
        combgpu__set_walk_to(&state->set, &walk, rank);
        stop = desc->solution(rank, walk.perm, 1, desc->n, desc->solution_user);
    }
    return desc->limit && combgpu__perm_done(job) == desc->limit ? COMBGPU_FOUND
           : stop                                                ? COMBGPU_STOPPED
                                                                 : COMBGPU_RUNNING;
}

/* WRITE: copies a piece to its place or hands it over. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_piece(combgpu_job *job, uint64_t rank, uint64_t count,
                                                    uint32_t unit)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    unsigned char *to =
        desc->out ? (unsigned char *)desc->out + (size_t)(rank - desc->first) * state->object
                  : state->chunk;
    const unsigned char *made = to;
    if (job->caller_work.handle) { /* from a checkpoint of a run that wrote elsewhere: a task */
        uint32_t task[4];
        combgpu_status status = combgpu__reserve_room(job, 1);
        if (status) return status;
        combgpu__put64(task, rank);
        combgpu__put64(task + 2, rank + count);
        memcpy(job->reserve + job->reserve_count++ * job->task_words, task, sizeof task);
        job->sums[0] -= count;
        return COMBGPU_RUNNING;
    }
    job->sums[COMBGPU__PERM_S_RECORD_DONE] += count;
    job->sums[COMBGPU__PERM_S_RECORD_HASH] += combgpu__perm_range_hash(rank, rank + count);
    if (state->area_filled) {
        made = state->area + (size_t)unit * 16 + combgpu__perm_area_skip(state, rank);
        if (desc->out) memcpy(to, made, (size_t)count * state->object);
    } else
        combgpu__perm_make(state, state->walk, rank, count, to);
    if (desc->out) return COMBGPU_RUNNING;
    return desc->solution(rank + state->base.lo, made, count, desc->n, desc->solution_user)
               ? COMBGPU_STOPPED
               : COMBGPU_RUNNING;
}

/* A record is {rank, count, 16-byte unit of the area}; of a hit, where count is 1, the rank is NO_RANK
   if the kernel only filled up the buffer. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t rank = combgpu__get64(record);
    if (state->desc.goal == COMBGPU_PERM_WRITE)
        return combgpu__perm_piece(job, rank, record[2], record[3]);
    return rank == COMBGPU__PERM_NO_RANK ? COMBGPU_RUNNING : combgpu__visit_hit(job, rank);
}

COMBGPU__PRIVATE double combgpu__perm_fraction(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    return state->mine ? (double)job->sums[0] / (double)state->mine : 1;
}

COMBGPU__PRIVATE uint64_t combgpu__perm_solutions(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    return state->desc.goal == COMBGPU_PERM_COUNT ? combgpu__perm_done(job) : 0;
}

COMBGPU__PRIVATE int combgpu__perm_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
    return begin >= state->desc.first && begin < end && end <= state->end;
}

COMBGPU__PRIVATE int combgpu__perm_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    combgpu_perm_goal goal = state->desc.goal;
    uint64_t rank = combgpu__get64(record);
    combgpu__perm_walk walk;
    if (rank == COMBGPU__PERM_NO_RANK) return goal == COMBGPU_PERM_COUNT;
    if (goal > COMBGPU_PERM_COUNT || !combgpu__perm_is_piece(state, record)) return 0;
    if (goal == COMBGPU_PERM_WRITE || !state->desc.visitor->cpu) return 1;
    combgpu__set_walk_to(&state->set, &walk, rank);
    return state->desc.visitor->cpu(walk.perm, state->desc.n, state->data) != 0;
}

COMBGPU__PRIVATE void combgpu__perm_release(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    combgpu__release(job->ctx, state->area);
    combgpu__release(job->ctx, state->chunk);
    combgpu__release(job->ctx, state->walk);
    combgpu__release(job->ctx, state->groups);
    combgpu__release(job->ctx, state->source);
    combgpu__release(job->ctx, state->fetched);
}

static const combgpu__problem combgpu__perm_problem = {
    "permutations",           combgpu__perm_frontier,     combgpu__perm_record,
    combgpu__perm_slice_done, combgpu__perm_fraction,     combgpu__perm_solutions,
    combgpu__perm_adopt_task, combgpu__perm_adopt_record, combgpu__perm_release};

/* ---- begin, end, one-shot */

/* device_out: the memory that the kernel writes to; on the CPU that is `out`. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_output(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    combgpu_perm_desc *desc = &state->desc;
    combgpu__memory memory;
    combgpu_status status;
    if (!desc->device_out.memory) return COMBGPU_OK;
    status = combgpu__device_adopt(job->ctx, "device_out", &desc->device_out, &memory,
                                   &state->caller_shift);
    if (status) return status;
    if (job->ctx->backend->id != COMBGPU_BACKEND_CPU) {
        job->caller_work = memory;
        return COMBGPU_OK;
    }
    desc->out = (unsigned char *)memory.handle + state->caller_shift;
    desc->out_bytes = desc->device_out.bytes;
    desc->device_out.memory = NULL;
    return COMBGPU_OK;
}

/* What ranks count from, and how they are cut into tasks. */
COMBGPU__PRIVATE void combgpu__perm_plan(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    combgpu_perm_desc *desc = &state->desc;
    uint64_t first = desc->first;
    if (state->all && desc->n > COMBGPU__PERM_MAX) { /* 2^64 = 25216 mod 8! */
        desc->first = (first % 40320 + desc->first_hi % 40320 * 25216) % 40320;
        state->base.lo = first - desc->first;
        state->base.hi = desc->first_hi - (first < desc->first);
    }
    state->end = desc->first + desc->count;
    state->object = (size_t)desc->n * (size_t)desc->item_bytes;
    state->orders = state->all && desc->n < COMBGPU__PERM_PLACES ? combgpu_factorial(desc->n).lo
                                                                 : COMBGPU__PERM_GROUP;
    state->piece = desc->count / (state->all ? COMBGPU__PERM_WRITE_PIECES : COMBGPU__PERM_PIECES);
    state->piece = (state->piece / state->orders + 1) * state->orders;
    state->cut = state->all ? state->piece : COMBGPU__PERM_GROUP;
    state->mine = combgpu__perm_mine(job);
}

/* Text that two jobs have in common if one can go on with the other's checkpoint. Uses desc.first as
   the caller gave it. */
COMBGPU__PRIVATE void combgpu__perm_parameters(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    const combgpu__set *set = &state->set;
    unsigned long long first = desc->first + state->base.lo, count = desc->count;
    if (state->all && (desc->first_hi || state->translates))
        snprintf(job->parameters, sizeof job->parameters,
                 "n %d first %llu count %llu first_hi %llu items %d %016llx", desc->n, first, count,
                 (unsigned long long)desc->first_hi, desc->item_bytes,
                 (unsigned long long)combgpu__fnv(
                     COMBGPU__FNV_OFFSET,
                     (const unsigned char *)(job->tables + COMBGPU__PERM_T_ITEMS),
                     (size_t)desc->n * 8));
    else if (state->all)
        snprintf(job->parameters, sizeof job->parameters, "n %d first %llu count %llu", desc->n,
                 first, count);
    else
        snprintf(
            job->parameters, sizeof job->parameters,
            "family %d n %d k %d repeats %016llx first %llu count %llu goal %d ordered %d "
            "bins %d %lld %llu visitor %.100s data %llu %016llx",
            (int)set->family, set->n, set->k,
            (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, set->repeats,
                                             sizeof set->repeats),
            first, count, (int)desc->goal, desc->ordered != 0, desc->bins,
            (long long)desc->bin_first, (unsigned long long)desc->bin_width,
            desc->visitor ? desc->visitor->name : "-", (unsigned long long)desc->data_bytes,
            (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, state->data, desc->data_bytes));
}

/* Visits: the solver and the kernel with the caller's function. In OpenCL that is compiled for one n;
   in CUDA the kernel holds a form for each. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_kernel(combgpu_job *job)
{
    static const char prefix[] = "#define COMBGPU_VISIT_N %d\n#define COMBGPU_VISIT_FAMILY %d\n"
                                 "#define COMBGPU_VISIT_GOAL %d\n#define COMBGPU_VISIT_LIST %d\n"
                                 "#line 1 \"source\"\n%s";
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    const combgpu_perm_desc *desc = &state->desc;
    int n = COMBGPU__VISIT_BLOCKS(job->ctx) ? combgpu__visit_fast_n(state) : 0;
    size_t bytes;
    job->kernel.name = "combgpu_perm_visit";
    job->kernel.solve = desc->visitor->cpu || desc->visitor->cpu_many ? combgpu__visit_solve : NULL;
    job->kernel.cuda_function = desc->visitor->cuda_kernel;
    job->slice_sums = desc->goal != COMBGPU_PERM_COUNT;
    if (desc->goal == COMBGPU_PERM_HISTOGRAM)
        job->work_bytes_shared = job->cpu_work_bytes_per_worker = 8 * (size_t)desc->bins;
    else
        job->work_bytes_per_worker = COMBGPU__VISIT_SLOT_WORDS * sizeof(uint32_t);
    job->record_capacity = job->tables[COMBGPU__VISIT_T_LIST] ? 65536 : 1;
    if (!desc->visitor->opencl_source) return COMBGPU_OK;
    bytes = strlen(desc->visitor->opencl_source) + sizeof prefix + 32;
    state->source = (char *)combgpu__allocate(job->ctx, bytes);
    if (!state->source) return combgpu__no_memory(job->ctx, bytes);
    snprintf(state->source, bytes, prefix, n, (int)state->set.family, (int)desc->goal,
             (int)job->tables[COMBGPU__VISIT_T_LIST], desc->visitor->opencl_source);
    job->kernel.opencl_source = state->source;
    return COMBGPU_OK;
}

/* Chooses solver and kernel, and what memory they need. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_kernel(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    int writes = state->desc.goal == COMBGPU_PERM_WRITE, all = state->all;
    int direct = job->caller_work.handle != NULL, is_gpu = job->ctx->device.is_gpu;
    int is_cpu = job->ctx->device.backend == COMBGPU_BACKEND_CPU;
    job->kernel.part = "PERM";
    job->kernel.lanes_per_block = all ? COMBGPU__PERM_WRITE_LANES : COMBGPU__VISIT_LANES;
    job->kernel.lanes_per_worker = job->kernel.lanes_per_block;
    job->kernel.left_per_worker = 2;
    job->kernel.first_budget = is_cpu || (all && !direct) ? 65536 : 1 << 20;
    job->task_words = job->record_words = 4;
    job->range_tasks = job->records_repeat = 1;
    job->one_device = writes || state->desc.ordered; /* it is the host's memory that limits it */
    if (!writes) return combgpu__visit_kernel(job);
    job->kernel.solve = combgpu__perm_solve_write;
    job->kernel.name = !all     ? "combgpu_perm_write_set"
                       : direct ? "combgpu_perm_write_direct"
                                : "combgpu_perm_write";
    job->work_bytes_shared = state->area_bytes;
    job->record_capacity = !state->area_bytes ? 1024 : all ? 16384 : 65536;
    /* so much that n = 13 is one slice of a large GPU: the least that a hungry slice does too */
    if (direct && is_gpu) job->kernel.first_budget = 16000000;
    if (direct && all) {
        job->kernel.left_per_worker = 16; /* one is: but the pool then takes the whole frontier */
        job->record_capacity = 1;
    }
    return COMBGPU_OK;
}

/* WRITE: what record and slice_done need, and the CPU to write. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_memory(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    combgpu_context *ctx = job->ctx;
    size_t chunk = (size_t)COMBGPU__PERM_PIECE * state->object;
    state->chunk = (unsigned char *)combgpu__allocate(ctx, chunk);
    state->walk = (combgpu__perm_walk *)combgpu__allocate(ctx, sizeof *state->walk);
    if (!state->chunk || !state->walk) return combgpu__no_memory(ctx, chunk);
#ifdef COMBGPU__VECTOR
    if (state->all && state->desc.n >= COMBGPU__PERM_PLACES) {
        size_t bytes = combgpu__perm_groups_bytes(state->desc.n);
        state->groups = (uint8_t *)combgpu__allocate(ctx, bytes);
        if (!state->groups) return combgpu__no_memory(ctx, bytes);
        combgpu__perm_groups(state->desc.n, state->groups);
    }
#endif
    combgpu__perm_walk_from(state->walk, state, state->desc.first);
    if (!state->area_bytes) return COMBGPU_OK;
    state->area = (unsigned char *)combgpu__allocate(ctx, state->area_bytes);
    return state->area ? COMBGPU_OK : combgpu__no_memory(ctx, state->area_bytes);
}

/* Visits: the host memory that slice_done needs, and the device's bins. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_memory(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    int is_histogram = state->desc.goal == COMBGPU_PERM_HISTOGRAM, i;
    size_t bins = 8 * (size_t)state->desc.bins; /* bytes */
    size_t words = is_histogram ? bins / 4 : COMBGPU__VISIT_SLOT_WORDS;
    combgpu_status status = COMBGPU_OK;
    words = state->desc.ordered ? combgpu__bytes(job->shares->pool_capacity, 4)
                                : combgpu__bytes(combgpu__most_workers(job), words);
    words = combgpu__bytes(words, sizeof(uint32_t));
    state->fetched = (uint32_t *)combgpu__allocate(job->ctx, words);
    if (!state->fetched) return combgpu__no_memory(job->ctx, words);
    if (!is_histogram) return COMBGPU_OK;
    memset(state->fetched, 0, bins);
    for (i = 0; i < job->share_count && !status; i++)
        status = job->shares[i].backend->upload(
            job->shares[i].ctx, &job->shares[i].memory[COMBGPU__WORK], 0, state->fetched, bins);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_setup(combgpu_job *job)
{
    combgpu__perm_state *state = (combgpu__perm_state *)job->state;
    combgpu_status status = combgpu__perm_validate(job->ctx, state);
    if (!status) status = combgpu__perm_output(job);
    if (status) return status;
    combgpu__perm_plan(job);
    status = state->all ? combgpu__perm_tables(job) : combgpu__visit_tables(job);
    if (!status) status = combgpu__perm_kernel(job);
    if (status) return status;
    combgpu__perm_parameters(job);
    state->desc.items = state->desc.data = NULL;
    state->desc.set = NULL;
    job->merge = combgpu__perm_merge;
    status = combgpu__job_start(job);
    if (status) return status;
    return state->desc.goal == COMBGPU_PERM_WRITE ? combgpu__perm_memory(job)
                                                  : combgpu__visit_memory(job);
}

COMBGPU__DEF combgpu_status combgpu_perm_begin(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                               combgpu_job **out)
{
    combgpu_job *job;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!out) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "job is NULL");
    *out = NULL;
    if (!desc) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc is NULL");
    status = combgpu__job_create(ctx, &combgpu__perm_problem, sizeof(combgpu__perm_state),
                                 &desc->run, &job);
    if (status) return status;
    ((combgpu__perm_state *)job->state)->desc = *desc;
    return combgpu__job_begun(job, combgpu__perm_setup(job), out);
}

/* Fills *result; returns the checksum. */
COMBGPU__PRIVATE uint64_t combgpu__perm_answer(const combgpu_job *job, combgpu_perm_result *result)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)job->state;
    const uint64_t *sums = job->sums;
    uint64_t checksum = sums[COMBGPU__PERM_S_HASH] + sums[COMBGPU__PERM_S_RECORD_HASH];
    combgpu__perm_walk walk;
    int i;
    result->visited = sums[0];
    switch (state->desc.goal) {
    case COMBGPU_PERM_WRITE:
        result->visited = combgpu__perm_done(job);
        break;
    case COMBGPU_PERM_COUNT:
        result->hits = combgpu__perm_done(job);
        break;
    case COMBGPU_PERM_SUM:
        result->sum.lo = sums[COMBGPU__PERM_S_KEY];
        result->sum.hi = sums[COMBGPU__PERM_S_RANK];
        checksum = result->sum.lo * UINT64_C(0x9e3779b97f4a7c15);
        break;
    case COMBGPU_PERM_HISTOGRAM:
        result->outside = sums[COMBGPU__PERM_S_DONE];
        checksum = result->outside * combgpu__mix(UINT64_MAX);
        for (i = 0; i < state->desc.bins; i++) {
            state->desc.histogram[i] = sums[COMBGPU__PERM_S_BINS + i];
            checksum += sums[COMBGPU__PERM_S_BINS + i] * combgpu__mix((uint64_t)i);
        }
        break;
    case COMBGPU_PERM_MINIMUM:
    case COMBGPU_PERM_MAXIMUM:
        checksum = 0;
        /* the rank may come from a file */
        if (!sums[COMBGPU__PERM_S_SEEN] || sums[COMBGPU__PERM_S_RANK] >= state->set.count) break;
        result->best_value = (int64_t)sums[COMBGPU__PERM_S_KEY];
        if (state->desc.goal == COMBGPU_PERM_MAXIMUM) result->best_value = ~result->best_value;
        result->best_rank = sums[COMBGPU__PERM_S_RANK];
        combgpu__set_walk_to(&state->set, &walk, result->best_rank);
        memcpy(result->best, walk.perm, sizeof result->best);
        checksum = combgpu__mix(combgpu__mix((uint64_t)result->best_value) + result->best_rank);
        break;
    }
    return checksum;
}

COMBGPU__DEF combgpu_status combgpu_perm_end(combgpu_job *job, combgpu_perm_result *result)
{
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__is_job(job, job->problem == &combgpu__perm_problem, "combgpu_perm_begin");
    if (status) return status;
    if (!result) {
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
        combgpu_job_cancel(job);
        return status;
    }
    memset(result, 0, sizeof *result);
    return combgpu__job_ended(job, combgpu__perm_answer(job, result), &result->run);
}

COMBGPU__DEF combgpu_status combgpu_perm(combgpu_context *ctx, const combgpu_perm_desc *desc,
                                         combgpu_perm_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!result) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    status = combgpu_perm_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_perm_end(job, result);
}

/* ---- self-test: n = 8 and a multiset through every kernel */

/* Weighted fixed points, and a count of all permutations that have one. */
COMBGPU_PERM_VISITOR(combgpu__perm_test_visitor, {
    int64_t sum = 0;
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) sum += combgpu_data_i32(data, i);
    return sum;
})

typedef struct combgpu__perm_test {
    combgpu_perm_set set;
    uint64_t right; /* members */
} combgpu__perm_test;

COMBGPU__PRIVATE int combgpu__perm_test_chunk(uint64_t rank, const uint8_t *perms, uint64_t count,
                                              int n, void *user)
{
    combgpu__perm_test *test = (combgpu__perm_test *)user;
    for (; count; count--, rank++, perms += n) {
        uint8_t perm[COMBGPU__PERM_MOST];
        test->right += !combgpu_perm_set_unrank(NULL, &test->set, rank, perm) &&
                       !memcmp(perm, perms, (size_t)n);
    }
    return 0;
}

/* Writes all of a set, through chunks or to device memory: are they right? */
COMBGPU__PRIVATE combgpu_status combgpu__perm_test_write(combgpu_context *ctx,
                                                         const combgpu_perm_set *set, int to_device,
                                                         const char *kernel)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu__perm_test test;
    uint64_t count = 0;
    int length = 0;
    uint8_t *perms = NULL;
    combgpu_status status = combgpu_perm_set_count(ctx, set, &count, &length);
    size_t bytes = (size_t)count * (size_t)length;
    memset(&desc, 0, sizeof desc);
    test.set = *set;
    test.right = 0;
    if (set->family == COMBGPU_PERM_ALL)
        desc.n = set->n;
    else
        desc.set = set;
    if (to_device) {
        perms = (uint8_t *)combgpu__allocate(ctx, bytes);
        if (!perms) return combgpu__no_memory(ctx, bytes);
        status = combgpu_device_allocate(ctx, bytes, &desc.device_out);
    } else {
        desc.solution = combgpu__perm_test_chunk;
        desc.solution_user = &test;
    }
    if (!status) status = combgpu_perm(ctx, &desc, &result);
    if (!status && to_device) {
        status = combgpu_device_read(ctx, &desc.device_out, 0, perms, bytes);
        if (!status) combgpu__perm_test_chunk(0, perms, count, length, &test);
    }
    combgpu_device_release(ctx, &desc.device_out);
    combgpu__release(ctx, perms);
    if (!status && (result.visited != count || test.right != count))
        status =
            combgpu__fail(ctx, COMBGPU_WRONG_RESULT, "kernel %s: %llu of %llu permutations right",
                          kernel, (unsigned long long)test.right, (unsigned long long)count);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_self_test(combgpu_context *ctx)
{
    static const uint8_t repeats[3] = {3, 2, 4};
    static const combgpu_perm_set eight = {COMBGPU_PERM_ALL, 8, 0, NULL};
    static const combgpu_perm_set nine = {COMBGPU_PERM_MULTISET, 3, 0, repeats};
    static const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t mixed[8] = {-4, -3, -2, -1, 0, 1, 2, 3};
    combgpu_perm_desc desc;
    combgpu_perm_result count, least, most;
    combgpu_status status = combgpu__perm_test_write(ctx, &eight, 0, "combgpu_perm_write");
    if (!status) status = combgpu__perm_test_write(ctx, &eight, 1, "combgpu_perm_write_direct");
    if (!status) status = combgpu__perm_test_write(ctx, &nine, 0, "combgpu_perm_write_set");
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    desc.visitor = &combgpu__perm_test_visitor;
    desc.data_bytes = sizeof ones;
    desc.goal = COMBGPU_PERM_COUNT;
    desc.data = ones;
    if (!status) status = combgpu_perm(ctx, &desc, &count);
    desc.goal = COMBGPU_PERM_MINIMUM;
    desc.data = mixed;
    if (!status) status = combgpu_perm(ctx, &desc, &least);
    desc.goal = COMBGPU_PERM_MAXIMUM;
    if (!status) status = combgpu_perm(ctx, &desc, &most);
    if (status) return status;
    /* 8! less the 14833 derangements; 0 1 2 3 4 6 7 5 and 1 0 3 2 4 5 6 7 by hand */
    if (count.hits != 40320 - 14833 || least.best_value != -10 || least.best_rank != 3 ||
        most.best_value != 6 || most.best_rank != 5160)
        return combgpu__fail(
            ctx, COMBGPU_WRONG_RESULT,
            "kernel combgpu_perm_visit, n = 8: count %llu, minimum %lld at %llu, maximum %lld at "
            "%llu; right: 25487, -10 at 3, 6 at 5160",
            (unsigned long long)count.hits, (long long)least.best_value,
            (unsigned long long)least.best_rank, (long long)most.best_value,
            (unsigned long long)most.best_rank);
    return COMBGPU_OK;
}

/* (end of SECTION 42) */

/* ========================================================== SECTION 50: travelling salesman == */
/* Every request becomes one form: find the cheapest order of m "middle" cities, given what it costs
   to begin with a city (first), to go from one to the next (legs), and to end with one (last):

     cycle               middle = all but city 0; first and last are the legs from and to it
     path, both ends free   middle = all cities; first = last = 0
     path with fixed ends   middle = the others; a fixed end is city 0's counterpart

   Middle cities are in ascending order, so the lexicographically smallest order of them is the
   smallest tour. Costs are whole numbers (see SECTION 5).

   Brute force splits an order into a prefix of m-6 cities (its number in lexicographic order is all
   that a task needs) and a suffix of 6, the last of which is chosen before the 5 between: that
   halves the work by direction (last > first) without looking at a tour twice. A worker keeps the
   smallest (length, prefix number); the host finds the smallest order within that prefix.

   Held-Karp has f(c, T) = the least cost of going from c through all of the set T to the end. The
   cities are split into a few low ones and the h others; all f(c, T) that agree in T's high part H
   form a block. Rows of f over the subsets of the low cities are contiguous, and a block is a
   min-plus product of the rows of its predecessors, f(i, H \ i), with the legs: each row is read
   once and written once, both whole. Blocks of one size |H| are independent: that is a layer, and
   a slice is a chunk of a layer. Only rows of high cities are stored, h 2^(h-1) of them; those of
   low cities are needed within their block alone. */

#define COMBGPU__TSP_TABLE_FIRST 16    /* AUTO: up to here Held-Karp, without further thought */
#define COMBGPU__TSP_MOST 32           /* stride of tables; most middle cities + 1 */
#define COMBGPU__TSP_SUFFIX 6          /* brute force: cities after the prefix */
#define COMBGPU__TSP_CPU_LOW 4         /* low cities; a row is 2^low costs: one cache line */
#define COMBGPU__TSP_GPU_LOW 5         /* one row entry a lane */
#define COMBGPU__TSP_NARROW 0x3fffffff /* the most that a path may cost in a 32-bit table */
#define COMBGPU__TSP_SMALL_LAYER 65536 /* states that are not worth sharing: about 0.1 ms */
#define COMBGPU__TSP_CPU_BYTES (UINT64_C(2) << 30) /* a CPU's table, if there is no limit */

/* job->sums beyond the slices' totals: the best so far */
#define COMBGPU__TSP_HAS COMBGPU__TOTALS          /* nonzero: there is one */
#define COMBGPU__TSP_LENGTH (COMBGPU__TOTALS + 1) /* its cost */
#define COMBGPU__TSP_PREFIX (COMBGPU__TOTALS + 2) /* brute force: the number of its prefix */
#define COMBGPU__TSP_ORDER (COMBGPU__TOTALS + 2)  /* Held-Karp: m bytes, 8 in a sum */

/* totals of a slice: 0 steps, 1 checksum. Words of tasks, and of Held-Karp's record: length, order
 */
#define COMBGPU__TSP_TASK_WORDS 4
#define COMBGPU__TSP_RECORD_WORDS 10

typedef struct combgpu__tsp {
    combgpu_tsp_method method;
    combgpu_tsp_shape shape;
    int n, m;
    int front, back; /* the fixed cities before and after the middle; -1 = none */
    int reversible;  /* an order and its reverse cost the same */
    int scale;       /* a cost is a weight * 2^scale */
    int wide;        /* Held-Karp: 64-bit table */
    int low, high;   /* Held-Karp: low and high cities */
    int depth;       /* brute force: cities in a prefix */
    int adopted;     /* tasks taken from a checkpoint */
    uint64_t prefixes, all_steps;
    uint64_t steps_seen; /* Held-Karp: steps and budget before the slice */
    uint32_t budget;
    int64_t bound;   /* no tour is shorter */
    int64_t nothing; /* m == 0: the cost of the only tour */
    int city[COMBGPU__TSP_MOST];
    int64_t first[COMBGPU__TSP_MOST], last[COMBGPU__TSP_MOST];
    int64_t legs[COMBGPU__TSP_MOST * COMBGPU__TSP_MOST]; /* [from * MOST + to] */
} combgpu__tsp;

/* ---- validate */

/* A weight as a whole number of units of 2^-scale; exact where it is an integer and scale is 0. */
COMBGPU__PRIVATE int64_t combgpu__tsp_cost(double weight, int scale)
{
    double units = scale ? ldexp(weight, scale) : weight, whole = combgpu__floor(units);
    return (int64_t)whole + (units - whole >= 0.5);
}

typedef struct combgpu__tsp_weights {
    double largest;
    int symmetric, integral;
    int scale; /* the unit of costs is 2^-scale */
} combgpu__tsp_weights;

/* Checks an instance's weights, wherever they come from. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_weights(combgpu_context *ctx,
                                                           const combgpu_tsp_instance *instance,
                                                           combgpu__tsp_weights *weights)
{
    int n = instance->n, i, j, exponent;
    memset(weights, 0, sizeof *weights);
    weights->symmetric = weights->integral = 1;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double w = instance->weights[(size_t)i * (size_t)n + (size_t)j];
            if (i == j) continue;
            if (!(w >= 0 && w <= 1e300))
                return combgpu__fail(
                    ctx, COMBGPU_INVALID_ARGUMENT,
                    "the weight from city %d to city %d (counted from 0) is %g; it "
                    "may be 0 to 1e300",
                    i, j, w);
            if (w > weights->largest) weights->largest = w;
            if (w > 9007199254740992.0 || w != combgpu__floor(w)) weights->integral = 0;
            if (w != instance->weights[(size_t)j * (size_t)n + (size_t)i]) weights->symmetric = 0;
        }
    frexp(weights->largest * (n + 1), &exponent); /* that product is below 2^exponent */
    if (!weights->integral || exponent > 62) weights->scale = 62 - exponent;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_instance(combgpu_context *ctx,
                                                            const combgpu_tsp_instance *instance)
{
    if (!instance) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "instance is NULL");
    if (instance->n < 1 || instance->n > COMBGPU_TSP_MAX_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "instance.n is %d; it may be 1 to %d",
                             instance->n, COMBGPU_TSP_MAX_DIMENSION);
    if (!instance->weights)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "instance.weights is NULL; it must hold n*n weights (see "
                             "combgpu_tsp_from_coordinates)");
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_shape(combgpu_context *ctx,
                                                         combgpu_tsp_shape shape)
{
    if ((int)shape == COMBGPU_TSP_CYCLE || (int)shape == COMBGPU_TSP_PATH) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "shape is %d; it may be 0 (cycle), 1 (path)", (int)shape);
}

/* Checks one end of a path; a cycle has none. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_end(combgpu_context *ctx, const char *name,
                                                       int city, const combgpu_tsp_desc *desc)
{
    if (city < 0 || city > desc->instance->n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is %d; it may be 0 (free) or a city + 1, 1 to %d", name, city,
                             desc->instance->n);
    if (desc->shape == COMBGPU_TSP_CYCLE && city)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is %d, but shape is a cycle, which has no ends: it must be 0",
                             name, city);
    return COMBGPU_OK;
}

/* Checks method, shape and ends. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_desc(combgpu_context *ctx,
                                                        const combgpu_tsp_desc *desc)
{
    combgpu_status status = combgpu__tsp_check_instance(ctx, desc->instance);
    if (status) return status;
    if ((int)desc->method < COMBGPU_TSP_AUTO || (int)desc->method > COMBGPU_TSP_BRANCH_AND_BOUND)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "method is %d; it may be 0 (auto), 1 (brute force), 2 (Held-Karp), 3 "
                             "(branch and bound)",
                             (int)desc->method);
    status = combgpu__tsp_check_shape(ctx, desc->shape);
    if (!status) status = combgpu__tsp_check_end(ctx, "path_start", desc->path_start, desc);
    if (!status) status = combgpu__tsp_check_end(ctx, "path_end", desc->path_end, desc);
    if (status) return status;
    if (desc->path_start && desc->path_start == desc->path_end && desc->instance->n > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "path_start and path_end are both %d; a path of %d cities has two "
                             "ends",
                             desc->path_start, desc->instance->n);
    return COMBGPU_OK;
}

/* n! as a double, for messages; about 1e290 if it is more. */
COMBGPU__PRIVATE double combgpu__tsp_factorial(int n)
{
    double product = 1;
    for (; n > 1 && product < 1e290; n--)
        product *= n;
    return product;
}

/* Bytes of a Held-Karp table for m middle cities; a double, since any m may be asked for. */
COMBGPU__PRIVATE double combgpu__tsp_table_bytes(int m, int low, int wide)
{
    int high = m > low ? m - low : 0;
    return high ? ldexp((double)high * (wide ? 8 : 4), (high < 900 ? high : 900) - 1 + low) : 0;
}

/* Bytes that a table may take. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_table_limit(const combgpu_context *ctx)
{
    return ctx->desc.memory_limit                    ? ctx->desc.memory_limit
           : ctx->backend->id == COMBGPU_BACKEND_CPU ? COMBGPU__TSP_CPU_BYTES
                                                     : ctx->free_bytes / 2;
}

COMBGPU__PRIVATE int combgpu__tsp_low(const combgpu_context *ctx)
{
    return ctx->backend->id == COMBGPU_BACKEND_CPU ? COMBGPU__TSP_CPU_LOW : COMBGPU__TSP_GPU_LOW;
}

/* Picks the method, and refuses what it cannot do, before anything is allocated. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_choose(combgpu_context *ctx,
                                                    const combgpu_tsp_desc *desc, combgpu__tsp *tsp)
{
    int shards = desc->run.shard_count > 1;
    uint64_t limit = combgpu__tsp_table_limit(ctx);
    double bytes;
    tsp->low = combgpu__tsp_low(ctx);
    if (tsp->low > tsp->m) tsp->low = tsp->m;
    tsp->high = tsp->m - tsp->low;
    bytes = combgpu__tsp_table_bytes(tsp->m, tsp->low, tsp->wide);
    tsp->method = desc->method;
    if (tsp->method == COMBGPU_TSP_AUTO)
        tsp->method = tsp->m <= 8 || (shards && tsp->n <= 16) ? COMBGPU_TSP_BRUTE_FORCE
                                                              : COMBGPU_TSP_HELD_KARP;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        if (tsp->n <= 16) return COMBGPU_OK;
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "instance.n is %d; brute force takes at most 16 cities (%.3g tours "
                             "here); try method Held-Karp",
                             tsp->n, combgpu__tsp_factorial(tsp->m) / (tsp->reversible ? 2 : 1));
    }
    if (shards)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_count is %d; Held-Karp cannot be split into shards: it may "
                             "be 0 or 1, or the method brute force (at most 16 cities)",
                             desc->run.shard_count);
    if (tsp->m >= COMBGPU__TSP_MOST)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "instance.n is %d; Held-Karp takes at most %d cities for this shape "
                             "(its table would take %.3g bytes here)",
                             tsp->n, tsp->n - tsp->m + COMBGPU__TSP_MOST - 1, bytes);
    if (bytes > (double)limit)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY,
                             "instance.n is %d: Held-Karp needs a table of %.0f bytes and may use "
                             "%llu (context memory_limit; if 0: %s)",
                             tsp->n, bytes, (unsigned long long)limit,
                             ctx->backend->id == COMBGPU_BACKEND_CPU
                                 ? "2 GiB on the CPU"
                                 : "half of what is free on the device");
    return COMBGPU_OK;
}

/* ---- tables */

/* Brings the instance to the form above. m may exceed what fits: then only m and n are set. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_form(combgpu_context *ctx,
                                                  const combgpu_tsp_desc *desc, combgpu__tsp *tsp)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, i, j;
    combgpu__tsp_weights weights;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &weights);
    if (status) return status;
    tsp->scale = weights.scale;
    tsp->n = n;
    tsp->shape = desc->shape;
    tsp->front = cycle ? 0 : desc->path_start - 1;
    tsp->back = cycle ? 0 : desc->path_end - 1;
    if (n == 1 && tsp->front == tsp->back) tsp->back = -1;
    tsp->m = n - (tsp->front >= 0) - (tsp->back >= 0 && tsp->back != tsp->front);
    tsp->reversible =
        weights.symmetric && tsp->m > 1 && (cycle || (tsp->front < 0 && tsp->back < 0));
    tsp->wide = tsp->scale != 0 || weights.largest * (n + 1) > COMBGPU__TSP_NARROW;
    if (tsp->m >= COMBGPU__TSP_MOST) return COMBGPU_OK;
    for (i = j = 0; i < n; i++)
        if (i != tsp->front && i != tsp->back) tsp->city[j++] = i;
#define COMBGPU__TSP_WEIGHT(from, to)                                                              \
    combgpu__tsp_cost(instance->weights[(from)*n + (to)], tsp->scale)
    for (i = 0; i < tsp->m; i++) {
        if (tsp->front >= 0) tsp->first[i] = COMBGPU__TSP_WEIGHT(tsp->front, tsp->city[i]);
        if (tsp->back >= 0) tsp->last[i] = COMBGPU__TSP_WEIGHT(tsp->city[i], tsp->back);
        for (j = 0; j < tsp->m; j++)
            if (i != j)
                tsp->legs[i * COMBGPU__TSP_MOST + j] =
                    COMBGPU__TSP_WEIGHT(tsp->city[i], tsp->city[j]);
    }
    if (!tsp->m && n > 1) tsp->nothing = COMBGPU__TSP_WEIGHT(tsp->front, tsp->back);
#undef COMBGPU__TSP_WEIGHT
    return COMBGPU_OK;
}

/* A bound for searches that end early: every middle city is entered once and left once. */
COMBGPU__PRIVATE int64_t combgpu__tsp_simple_bound(const combgpu__tsp *tsp)
{
    int64_t in = 0, out = 0, begin = INT64_MAX, end = INT64_MAX;
    int i, j;
    if (!tsp->m) return tsp->nothing;
    for (i = 0; i < tsp->m; i++) {
        int64_t least_in = tsp->first[i], least_out = tsp->last[i];
        for (j = 0; j < tsp->m; j++) {
            int64_t to = tsp->legs[j * COMBGPU__TSP_MOST + i],
                    from = tsp->legs[i * COMBGPU__TSP_MOST + j];
            if (i != j && to < least_in) least_in = to;
            if (i != j && from < least_out) least_out = from;
        }
        in += least_in;
        out += least_out;
        if (tsp->first[i] < begin) begin = tsp->first[i];
        if (tsp->last[i] < end) end = tsp->last[i];
    }
    in += end;
    out += begin;
    return in > out ? in : out;
}

/* The cost of an order of the middle cities. */
COMBGPU__PRIVATE int64_t combgpu__tsp_order_cost(const combgpu__tsp *tsp, const int *order)
{
    int64_t cost;
    int i;
    if (!tsp->m) return tsp->nothing;
    cost = tsp->first[order[0]] + tsp->last[order[tsp->m - 1]];
    for (i = 1; i < tsp->m; i++)
        cost += tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
    return cost;
}

/* first, ..., last the other way round. */
COMBGPU__PRIVATE void combgpu__tsp_reverse(int *first, int *last)
{
    for (; first < last; first++, last--) {
        int swap = *first;
        *first = *last;
        *last = swap;
    }
}

/* A first tour, for searches that end before they have one: always on to the nearest city. */
COMBGPU__PRIVATE void combgpu__tsp_nearest(const combgpu__tsp *tsp, int *order)
{
    uint32_t used = 0;
    int i, j;
    for (i = 0; i < tsp->m; i++) {
        int64_t least = INT64_MAX;
        for (j = 0; j < tsp->m; j++) {
            int64_t cost = i ? tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + j] : tsp->first[j];
            if (used >> j & 1 || cost >= least) continue;
            least = cost;
            order[i] = j;
        }
        used |= 1u << order[i];
    }
    if (tsp->reversible && order[0] > order[tsp->m - 1])
        combgpu__tsp_reverse(order, order + tsp->m - 1);
}

/* What the solvers and kernels read:

     words 0..7   m, depth of a prefix or high cities, reversible, wide, low cities, 0, 0, 0
     then         64-bit: first[32], last[32], legs[32 * 32]
     then         Held-Karp: binomials C(a, b) at 32 a + b, for the numbers of a layer's sets */
#define COMBGPU__TSP_COSTS 8
#define COMBGPU__TSP_BINOMIALS                                                                     \
    (COMBGPU__TSP_COSTS + 2 * COMBGPU__TSP_MOST * (COMBGPU__TSP_MOST + 2))

COMBGPU__PRIVATE combgpu_status combgpu__tsp_tables(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    size_t words = COMBGPU__TSP_BINOMIALS + COMBGPU__TSP_MOST * COMBGPU__TSP_MOST;
    int brute = tsp->method == COMBGPU_TSP_BRUTE_FORCE, i, j;
    uint32_t *binomials;
    int64_t *costs;
    combgpu_status status = combgpu__job_tables(job, words);
    if (status) return status;
    job->tables[0] = (uint32_t)tsp->m;
    job->tables[1] = (uint32_t)(brute ? tsp->depth : tsp->high);
    job->tables[2] = (uint32_t)tsp->reversible;
    job->tables[3] = (uint32_t)tsp->wide;
    job->tables[4] = (uint32_t)tsp->low;
    costs = (int64_t *)(void *)(job->tables + COMBGPU__TSP_COSTS);
    memcpy(costs, tsp->first, sizeof tsp->first);
    memcpy(costs + COMBGPU__TSP_MOST, tsp->last, sizeof tsp->last);
    memcpy(costs + 2 * COMBGPU__TSP_MOST, tsp->legs, sizeof tsp->legs);
    binomials = job->tables + COMBGPU__TSP_BINOMIALS;
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        for (j = 0; j <= i; j++)
            binomials[i * COMBGPU__TSP_MOST + j] =
                j && j < i ? binomials[(i - 1) * COMBGPU__TSP_MOST + j - 1] +
                                 binomials[(i - 1) * COMBGPU__TSP_MOST + j]
                           : 1;
    return COMBGPU_OK;
}

/* ---- frontier */

/* Brute force: ranges of prefixes, of a size that gives a GPU's blocks whole rounds. */
#define COMBGPU__TSP_RANGE 512
#define COMBGPU__TSP_RANGES 16384

COMBGPU__PRIVATE void combgpu__tsp_small(combgpu_job *job);

COMBGPU__PRIVATE combgpu_status combgpu__tsp_frontier(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    uint64_t size = tsp->prefixes / COMBGPU__TSP_RANGES + 1, begin;
    uint32_t task[4] = {0, 0, 0, 0};
    combgpu_status status = COMBGPU_OK;
    if (!tsp->m || (tsp->method == COMBGPU_TSP_BRUTE_FORCE && tsp->m <= COMBGPU__TSP_SUFFIX)) {
        combgpu__tsp_small(job);
        return COMBGPU_OK;
    }
    if (tsp->method == COMBGPU_TSP_HELD_KARP) return combgpu__push(job, task); /* layer 0, from 0 */
    size = (size + COMBGPU__TSP_RANGE - 1) / COMBGPU__TSP_RANGE * COMBGPU__TSP_RANGE;
    for (begin = 0; begin < tsp->prefixes && !status; begin += size) {
        combgpu__put64(task, begin);
        combgpu__put64(task + 2, begin + size < tsp->prefixes ? begin + size : tsp->prefixes);
        status = combgpu__push(job, task);
    }
    return status;
}

/* ---- C solver: brute force */

/* The tables as costs. */
typedef struct combgpu__tsp_costs {
    int m, depth, reversible;
    const int64_t *first, *last, *legs;
} combgpu__tsp_costs;

COMBGPU__PRIVATE combgpu__tsp_costs combgpu__tsp_view(const uint32_t *tables)
{
    combgpu__tsp_costs costs;
    costs.m = (int)tables[0];
    costs.depth = (int)tables[1];
    costs.reversible = (int)tables[2];
    costs.first = (const int64_t *)(const void *)(tables + COMBGPU__TSP_COSTS);
    costs.last = costs.first + COMBGPU__TSP_MOST;
    costs.legs = costs.last + COMBGPU__TSP_MOST;
    return costs;
}

/* What a prefix adds to the checksum: its number and its shortest tour. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_hash(uint64_t prefix, int64_t length)
{
    return combgpu__mix(combgpu__mix(prefix) + (uint64_t)length);
}

/* The 20 ordered pairs of 5 cities, each with the other three. */
static const unsigned char combgpu__tsp_orders[20][5] = {
    {0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 3, 1, 2, 4}, {0, 4, 1, 2, 3}, {1, 0, 2, 3, 4},
    {1, 2, 0, 3, 4}, {1, 3, 0, 2, 4}, {1, 4, 0, 2, 3}, {2, 0, 1, 3, 4}, {2, 1, 0, 3, 4},
    {2, 3, 0, 1, 4}, {2, 4, 0, 1, 3}, {3, 0, 1, 2, 4}, {3, 1, 0, 2, 4}, {3, 2, 0, 1, 4},
    {3, 4, 0, 1, 2}, {4, 0, 1, 2, 3}, {4, 1, 0, 2, 3}, {4, 2, 0, 1, 3}, {4, 3, 0, 1, 2}};

/* The least of sum + an order of 5 cities: enter[i] begins with city i, leave[i] ends with it. All
   120 lengths are formed, each from a head of two cities and a tail of three; a tail serves the two
   heads that leave the same three cities. */
COMBGPU__PRIVATE int64_t combgpu__tsp_five(const int64_t enter[5], int64_t legs[5][5],
                                           const int64_t leave[5])
{
    int64_t tail[5][5][5], best = INT64_MAX;
    int a, b, c, i;
    for (a = 0; a < 5; a++)
        for (b = 0; b < 5; b++)
            for (c = 0; c < 5; c++)
                tail[a][b][c] = legs[a][b] + legs[b][c] + leave[c];
    for (i = 0; i < 20; i++) {
        const unsigned char *order = combgpu__tsp_orders[i];
        int64_t head = enter[order[0]] + legs[order[0]][order[1]], to[3], length[6];
        for (a = 0; a < 3; a++)
            to[a] = head + legs[order[1]][order[2 + a]];
        length[0] = to[0] + tail[order[2]][order[3]][order[4]];
        length[1] = to[0] + tail[order[2]][order[4]][order[3]];
        length[2] = to[1] + tail[order[3]][order[2]][order[4]];
        length[3] = to[1] + tail[order[3]][order[4]][order[2]];
        length[4] = to[2] + tail[order[4]][order[2]][order[3]];
        length[5] = to[2] + tail[order[4]][order[3]][order[2]];
        for (a = 0; a < 6; a++)
            if (length[a] < best) best = length[a];
    }
    return best;
}

/* The same for up to 4 cities, at[0 .. count-1], after city `from`; the order ends before `end`. */
COMBGPU__PRIVATE int64_t combgpu__tsp_few(const combgpu__tsp_costs *costs, int64_t sum, int from,
                                          const int *at, int count, int end)
{
    int64_t best = INT64_MAX;
    int i, j, kept;
    if (!count) return sum + costs->legs[from * COMBGPU__TSP_MOST + end] + costs->last[end];
    for (i = 0; i < count; i++) {
        int64_t length;
        int others[4];
        for (j = kept = 0; j < count; j++)
            if (j != i) others[kept++] = at[j];
        length = combgpu__tsp_few(costs, sum + costs->legs[from * COMBGPU__TSP_MOST + at[i]], at[i],
                                  others, kept, end);
        if (length < best) best = length;
    }
    return best;
}

/* Writes the cities of prefix `number` (lexicographic), then the others in order, to order[m]. */
COMBGPU__PRIVATE void combgpu__tsp_unrank(int m, int depth, uint64_t number, int *order)
{
    int i, j;
    for (i = 0; i < m; i++)
        order[i] = i;
    for (i = depth - 1; i >= 0; i--) { /* digit i chooses among m - i cities */
        uint64_t radix = (uint64_t)(m - i);
        order[i] = (int)(number % radix);
        number /= radix;
    }
    for (i = depth - 1; i >= 0; i--) /* digit to city: step over what stands before */
        for (j = i + 1; j < depth; j++)
            order[j] += order[j] >= order[i];
    {
        uint32_t used = 0;
        int next = 0;
        for (i = 0; i < depth; i++)
            used |= 1u << order[i];
        for (i = depth; i < m; i++, next++) {
            while (used >> next & 1)
                next++;
            order[i] = next;
        }
    }
}

/* The length of the shortest tour with this prefix; *tours gets how many tours have it. Without
   direction a tour counts in the form whose last city is greater than its first. */
COMBGPU__PRIVATE int64_t combgpu__tsp_prefix(const combgpu__tsp_costs *costs, uint64_t number,
                                             uint64_t *tours)
{
    int order[COMBGPU__TSP_MOST], between[COMBGPU__TSP_SUFFIX];
    int suffix = costs->m - costs->depth, i, j, a, b;
    int64_t sum, best = INT64_MAX;
    uint64_t orders = 1;
    combgpu__tsp_unrank(costs->m, costs->depth, number, order);
    sum = costs->first[order[0]];
    for (i = 1; i < costs->depth; i++)
        sum += costs->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
    for (i = 2; i < suffix; i++)
        orders *= (uint64_t)i;
    *tours = 0;
    for (i = costs->depth; i < costs->m; i++) {
        int64_t length;
        if (costs->reversible && order[i] < order[0]) continue;
        for (j = costs->depth, a = 0; j < costs->m; j++)
            if (j != i) between[a++] = order[j];
        if (suffix == COMBGPU__TSP_SUFFIX) {
            int64_t enter[5], legs[5][5], leave[5];
            for (a = 0; a < 5; a++) {
                enter[a] =
                    sum + costs->legs[order[costs->depth - 1] * COMBGPU__TSP_MOST + between[a]];
                leave[a] =
                    costs->legs[between[a] * COMBGPU__TSP_MOST + order[i]] + costs->last[order[i]];
                for (b = 0; b < 5; b++)
                    legs[a][b] = costs->legs[between[a] * COMBGPU__TSP_MOST + between[b]];
            }
            length = combgpu__tsp_five(enter, legs, leave);
        } else
            length = combgpu__tsp_few(costs, sum, order[costs->depth - 1], between, suffix - 1,
                                      order[i]);
        if (length < best) best = length;
        *tours += orders;
    }
    return best;
}

/* After a prefix without tours: all cities greater than its first one stand in it. So it is with
   every prefix that begins alike, up to the last of them; returns the first number past those. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_after_barren(const combgpu__tsp_costs *costs,
                                                    uint64_t number)
{
    int order[COMBGPU__TSP_MOST], i = costs->depth - 1;
    uint64_t alike = 1;
    combgpu__tsp_unrank(costs->m, costs->depth, number, order);
    for (; i && order[i] < order[0]; i--)
        alike *= (uint64_t)(costs->m - i);
    return (number / alike + 1) * alike;
}

COMBGPU__PRIVATE void combgpu__tsp_brute_solve(combgpu__worker *worker)
{
    combgpu__tsp_costs costs = combgpu__tsp_view(worker->tables);
    const uint32_t *task;
    uint64_t best_prefix = 0, tours;
    int64_t best = INT64_MAX;
    uint32_t record[4], left[4];
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t number = combgpu__get64(task), end = combgpu__get64(task + 2);
        while (number < end && !combgpu__spent(worker)) {
            int64_t length = combgpu__tsp_prefix(&costs, number, &tours);
            if (!tours) {
                number = combgpu__tsp_after_barren(&costs, number);
                continue;
            }
            worker->totals[0] += tours;
            worker->totals[1] += combgpu__tsp_hash(number, length);
            if (length < best || (length == best && number < best_prefix)) {
                best = length;
                best_prefix = number;
            }
            number++;
        }
        if (number < end) {
            combgpu__put64(left, number);
            combgpu__put64(left + 2, end);
            combgpu__give(worker, left);
        }
    }
    if (best == INT64_MAX) return;
    combgpu__put64(record, (uint64_t)best);
    combgpu__put64(record + 2, best_prefix);
    if (combgpu__emit(worker, record)) return;
    /* no room: the prefix comes again, so it must not have counted */
    combgpu__tsp_prefix(&costs, best_prefix, &tours);
    worker->totals[0] -= tours;
    worker->totals[1] -= combgpu__tsp_hash(best_prefix, best);
    combgpu__put64(left, best_prefix);
    combgpu__put64(left + 2, best_prefix + 1);
    combgpu__give(worker, left);
}

/* ---- C solver: Held-Karp */

/* The number of a row: city c of the high ones, c not in H. */
COMBGPU__PRIVATE size_t combgpu__tsp_row(int high, int c, uint32_t set)
{
    uint32_t below = set & ((1u << c) - 1);
    return ((size_t)c << (high - 1)) + ((set ^ below) >> 1) + below;
}

/* The next greater number with as many bits (R. W. Gosper, HAKMEM 175); 0 stays 0. */
COMBGPU__PRIVATE uint32_t combgpu__tsp_next_set(uint32_t set)
{
    uint32_t lowest = set & (0u - set), up = set + lowest;
    return set ? ((set ^ up) >> 2) / lowest | up : 0;
}

/* The typed part: a table of 32-bit and of 64-bit costs. COST is a signed type, FAR its cost of
   what cannot be, so that FAR + a leg does not overflow.

   minplus       out[L] = min over k of legs[from[k]] + rows[k][L]; entry 0 also has `end`. This
                 is the inner loop; compilers make vectors of it.
   block         all f(c, H + L): low[c][L] for the low cities, and the rows of the others
   order         the lexicographically smallest optimal order, read off the table from its start:
                 each city is the first one that attains the minimum. Returns the cost. */
#define COMBGPU__TSP_ROW (1 << COMBGPU__TSP_CPU_LOW)
#define COMBGPU__TSP_TABLE(BITS, COST, FAR)                                                        \
    typedef struct combgpu__tsp_table##BITS {                                                      \
        int m, low, high;                                                                          \
        COST first[COMBGPU__TSP_MOST], last[COMBGPU__TSP_MOST];                                    \
        COST legs[COMBGPU__TSP_MOST * COMBGPU__TSP_MOST];                                          \
        COST *rows;                                                                                \
    } combgpu__tsp_table##BITS;                                                                    \
                                                                                                   \
    COMBGPU__PRIVATE void combgpu__tsp_load##BITS(combgpu__tsp_table##BITS *table,                 \
                                                  const combgpu__worker *worker)                   \
    {                                                                                              \
        combgpu__tsp_costs costs = combgpu__tsp_view(worker->tables);                              \
        int i;                                                                                     \
        table->m = costs.m;                                                                        \
        table->high = (int)worker->tables[1];                                                      \
        table->low = (int)worker->tables[4];                                                       \
        table->rows = (COST *)(void *)worker->work;                                                \
        for (i = 0; i < COMBGPU__TSP_MOST; i++) {                                                  \
            table->first[i] = (COST)costs.first[i];                                                \
            table->last[i] = (COST)costs.last[i];                                                  \
        }                                                                                          \
        for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)                                \
            table->legs[i] = (COST)costs.legs[i];                                                  \
    }                                                                                              \
                                                                                                   \
    COMBGPU__PRIVATE void combgpu__tsp_minplus##BITS(COST *out, const COST *legs, const int *from, \
                                                     const COST *const *rows, int count, COST end) \
    {                                                                                              \
        COST least[COMBGPU__TSP_ROW];                                                              \
        int k, s;                                                                                  \
        for (s = 0; s < COMBGPU__TSP_ROW; s++)                                                     \
            least[s] = FAR;                                                                        \
        least[0] = end;                                                                            \
        for (k = 0; k < count; k++) {                                                              \
            const COST *row = rows[k], leg = legs[from[k]];                                        \
            for (s = 0; s < COMBGPU__TSP_ROW; s++) {                                               \
                COST cost = (COST)(leg + row[s]);                                                  \
                least[s] = cost < least[s] ? cost : least[s];                                      \
            }                                                                                      \
        }                                                                                          \
        memcpy(out, least, sizeof least);                                                          \
    }                                                                                              \
                                                                                                   \
    COMBGPU__PRIVATE void combgpu__tsp_block##BITS(const combgpu__tsp_table##BITS *table,          \
                                                   uint32_t set, int store,                        \
                                                   COST(*low)[COMBGPU__TSP_ROW])                   \
    {                                                                                              \
        COST with[COMBGPU__TSP_CPU_LOW][COMBGPU__TSP_ROW]; /* f(i, H + L without i) */             \
        const COST *rows[COMBGPU__TSP_MOST];                                                       \
        int from[COMBGPU__TSP_MOST], count = 0, lows = table->low, c, i;                           \
        uint32_t rest, subset;                                                                     \
        for (rest = set; rest; rest &= rest - 1) {                                                 \
            i = combgpu__lowest_bit64(rest);                                                       \
            from[count] = lows + i;                                                                \
            rows[count++] =                                                                        \
                table->rows + combgpu__tsp_row(table->high, i, set ^ 1u << i) * COMBGPU__TSP_ROW;  \
        }                                                                                          \
        for (c = 0; c < lows; c++)                                                                 \
            combgpu__tsp_minplus##BITS(low[c], table->legs + c * COMBGPU__TSP_MOST, from, rows,    \
                                       count, set ? FAR : table->last[c]);                         \
        for (subset = 1; subset < 1u << lows; subset++) /* smaller ones come first */              \
            for (c = 0; c < lows; c++) {                                                           \
                if (subset >> c & 1) continue;                                                     \
                for (i = 0; i < lows; i++) {                                                       \
                    COST cost;                                                                     \
                    if (!(subset >> i & 1)) continue;                                              \
                    cost =                                                                         \
                        (COST)(table->legs[c * COMBGPU__TSP_MOST + i] + low[i][subset ^ 1u << i]); \
                    if (cost < low[c][subset]) low[c][subset] = cost;                              \
                }                                                                                  \
            }                                                                                      \
        if (!store) return;                                                                        \
        for (i = 0; i < lows; i++) {                                                               \
            for (subset = 0; subset < COMBGPU__TSP_ROW; subset++)                                  \
                with[i][subset] = subset >> i & 1 ? low[i][subset ^ 1u << i] : FAR;                \
            from[count] = i;                                                                       \
            rows[count++] = with[i];                                                               \
        }                                                                                          \
        for (c = 0; c < table->high; c++)                                                          \
            if (!(set >> c & 1))                                                                   \
                combgpu__tsp_minplus##BITS(table->rows + combgpu__tsp_row(table->high, c, set) *   \
                                                             COMBGPU__TSP_ROW,                     \
                                           table->legs + (lows + c) * COMBGPU__TSP_MOST, from,     \
                                           rows, count, set ? FAR : table->last[lows + c]);        \
    }                                                                                              \
                                                                                                   \
    COMBGPU__PRIVATE int64_t combgpu__tsp_order##BITS(const combgpu__worker *worker,               \
                                                      unsigned char *order)                        \
    {                                                                                              \
        combgpu__tsp_table##BITS table;                                                            \
        COST low[COMBGPU__TSP_CPU_LOW][COMBGPU__TSP_ROW], length = 0;                              \
        uint32_t rest;                                                                             \
        int place, lows, c;                                                                        \
        combgpu__tsp_load##BITS(&table, worker);                                                   \
        lows = table.low;                                                                          \
        rest = (1u << table.m) - 1;                                                                \
        for (place = 0; place < table.m; place++) {                                                \
            uint32_t set = rest >> lows, subset = rest & ((1u << lows) - 1);                       \
            COST best = FAR;                                                                       \
            int chosen = 0;                                                                        \
            combgpu__tsp_block##BITS(&table, set, 0, low);                                         \
            for (c = 0; c < table.m; c++) {                                                        \
                COST cost =                                                                        \
                    place ? table.legs[order[place - 1] * COMBGPU__TSP_MOST + c] : table.first[c]; \
                if (!(rest >> c & 1)) continue;                                                    \
                cost = (COST)(cost + (c < lows                                                     \
                                          ? low[c][subset ^ 1u << c]                               \
                                          : table.rows[combgpu__tsp_row(table.high, c - lows,      \
                                                                        set ^ 1u << (c - lows)) *  \
                                                           COMBGPU__TSP_ROW +                      \
                                                       subset]));                                  \
                if (cost >= best) continue;                                                        \
                best = cost;                                                                       \
                chosen = c;                                                                        \
            }                                                                                      \
            if (!place) length = best;                                                             \
            order[place] = (unsigned char)chosen;                                                  \
            rest ^= 1u << chosen;                                                                  \
        }                                                                                          \
        return length;                                                                             \
    }                                                                                              \
                                                                                                   \
    /* So many blocks of a layer from `set` on; sets in ascending order. */                        \
    COMBGPU__PRIVATE void combgpu__tsp_blocks##BITS(const combgpu__worker *worker, uint32_t set,   \
                                                    uint64_t blocks)                               \
    {                                                                                              \
        combgpu__tsp_table##BITS table;                                                            \
        COST low[COMBGPU__TSP_CPU_LOW][COMBGPU__TSP_ROW];                                          \
        combgpu__tsp_load##BITS(&table, worker);                                                   \
        for (; blocks; blocks--) {                                                                 \
            combgpu__tsp_block##BITS(&table, set, 1, low);                                         \
            set = combgpu__tsp_next_set(set);                                                      \
        }                                                                                          \
    }

COMBGPU__TSP_TABLE(32, int32_t, (int32_t)1 << 30)
COMBGPU__TSP_TABLE(64, int64_t, (int64_t)1 << 62)

/* Set number `position` of those with `size` members, in ascending order: the combinatorial number
   system, from the greatest member down. */
COMBGPU__PRIVATE uint32_t combgpu__tsp_set_at(const uint32_t *binomials, int high, int size,
                                              uint64_t position)
{
    uint32_t set = 0;
    int i;
    for (i = high - 1; i >= 0 && size; i--) {
        uint32_t without = binomials[i * COMBGPU__TSP_MOST + size];
        if (position < without) continue;
        position -= without;
        set |= 1u << i;
        size--;
    }
    return set;
}

/* States f(c, T) in a block with `size` high cities in T. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_block_steps(int m, int low, int size)
{
    return ((uint64_t)(m - size) << low) - (((uint64_t)low << low) >> 1);
}

/* Blocks begin .. end-1 of a layer. */
COMBGPU__PRIVATE void combgpu__tsp_layer(combgpu__worker *worker, int layer, uint64_t begin,
                                         uint64_t end)
{
    const uint32_t *tables = worker->tables;
    uint32_t set;
    if (begin >= end) return;
    set = combgpu__tsp_set_at(tables + COMBGPU__TSP_BINOMIALS, (int)tables[1], layer, begin);
    if (tables[3])
        combgpu__tsp_blocks64(worker, set, end - begin);
    else
        combgpu__tsp_blocks32(worker, set, end - begin);
    worker->totals[0] +=
        (end - begin) * combgpu__tsp_block_steps((int)tables[0], (int)tables[4], layer);
}

/* The last layer is one block, and a part of reading the order off the table. */
COMBGPU__PRIVATE void combgpu__tsp_finish(combgpu__worker *worker)
{
    const uint32_t *tables = worker->tables;
    unsigned char order[COMBGPU__TSP_MOST];
    uint32_t record[COMBGPU__TSP_RECORD_WORDS] = {0};
    int m = (int)tables[0], i;
    int64_t length =
        tables[3] ? combgpu__tsp_order64(worker, order) : combgpu__tsp_order32(worker, order);
    combgpu__put64(record, (uint64_t)length);
    for (i = 0; i < m; i++)
        record[2 + i / 4] |= (uint32_t)order[i] << 8 * (i % 4);
    worker->totals[0] += combgpu__tsp_block_steps(m, (int)tables[4], (int)tables[1]);
    combgpu__emit(worker, record); /* the only one ever: there is room */
}

/* A task is {layer, position}, and there is one: every worker does its part of the next chunk, and
   worker 0 gives back what follows. The end of the slice is the barrier that a layer needs; layers
   that are too small to share are done by worker 0, several in a slice. */
COMBGPU__PRIVATE void combgpu__tsp_table_solve(combgpu__worker *worker)
{
    const uint32_t *binomials = worker->tables + COMBGPU__TSP_BINOMIALS;
    int m = (int)worker->tables[0], high = (int)worker->tables[1], low = (int)worker->tables[4];
    int layer = (int)worker->tasks[0], shared = 0;
    uint64_t position = worker->tasks[1], workers = worker->slice->workers, all, steps, chunk;
    uint32_t follow[4] = {0, 0, 0, 0};
    if (worker->index == 0 && !combgpu__take(worker)) return;
    for (; !shared; layer++) {
        all = binomials[high * COMBGPU__TSP_MOST + layer];
        steps = combgpu__tsp_block_steps(m, low, layer);
        shared = all * steps > COMBGPU__TSP_SMALL_LAYER;
        if (shared || combgpu__spent(worker)) break;
        if (worker->index) return;
        if (layer == high) {
            combgpu__tsp_finish(worker);
            return;
        }
        combgpu__tsp_layer(worker, layer, 0, all);
    }
    if (shared && !worker->totals[0]) { /* not after layers that the others have not seen */
        chunk = worker->slice->budget * workers / steps;
        chunk = chunk < 1 ? 1 : chunk < all - position ? chunk : all - position;
        combgpu__tsp_layer(worker, layer, position + chunk * worker->index / workers,
                           position + chunk * (worker->index + 1) / workers);
        position += chunk;
        if (position == all) {
            position = 0;
            layer++;
        }
    }
    if (worker->index) return;
    follow[0] = (uint32_t)layer;
    follow[1] = (uint32_t)position;
    combgpu__give(worker, follow);
}

/* ---- records */

/* Keeps a better answer: shorter, or as short with a smaller prefix. */
COMBGPU__PRIVATE void combgpu__tsp_take_best(combgpu_job *job, uint64_t length, uint64_t prefix)
{
    uint64_t *sums = job->sums;
    if (sums[COMBGPU__TSP_HAS] &&
        (sums[COMBGPU__TSP_LENGTH] < length ||
         (sums[COMBGPU__TSP_LENGTH] == length && sums[COMBGPU__TSP_PREFIX] <= prefix)))
        return;
    sums[COMBGPU__TSP_HAS] = 1;
    sums[COMBGPU__TSP_LENGTH] = length;
    sums[COMBGPU__TSP_PREFIX] = prefix;
}

/* Shards: the tours add up, the best one counts. */
COMBGPU__PRIVATE void combgpu__tsp_merge(combgpu_job *job, const uint64_t *sums)
{
    int i;
    for (i = 0; i < COMBGPU__TOTALS; i++)
        job->sums[i] += sums[i];
    if (sums[COMBGPU__TSP_HAS])
        combgpu__tsp_take_best(job, sums[COMBGPU__TSP_LENGTH], sums[COMBGPU__TSP_PREFIX]);
}

/* Reads m bytes of an order; 0 if they are none. */
COMBGPU__PRIVATE int combgpu__tsp_unpack(int m, const uint32_t *words, int *order)
{
    uint32_t used = 0;
    int i;
    for (i = 0; i < m; i++) {
        order[i] = (int)(words[i / 4] >> 8 * (i % 4) & 255);
        if (order[i] >= m || used >> order[i] & 1) return 0;
        used |= 1u << order[i];
    }
    return 1;
}

/* Up to 6 middle cities there are at most 720 orders: done on the host, by the first shard. */
COMBGPU__PRIVATE void combgpu__tsp_small(combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    combgpu__tsp_costs costs = combgpu__tsp_view(job->tables);
    uint64_t number, tours;
    if (job->run.shard_index) return;
    if (tsp->m < 2) {
        int order[1] = {0};
        job->sums[0] = tsp->method == COMBGPU_TSP_BRUTE_FORCE; /* one tour, no states */
        combgpu__tsp_take_best(job, (uint64_t)combgpu__tsp_order_cost(tsp, order), 0);
        return;
    }
    for (number = 0; number < tsp->prefixes; number++) {
        int64_t length = combgpu__tsp_prefix(&costs, number, &tours);
        if (!tours) continue;
        job->sums[0] += tours;
        job->sums[1] += combgpu__tsp_hash(number, length);
        combgpu__tsp_take_best(job, (uint64_t)length, number);
    }
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    int order[COMBGPU__TSP_MOST] = {0}, i;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        combgpu__tsp_take_best(job, combgpu__get64(record), combgpu__get64(record + 2));
        return COMBGPU_RUNNING;
    }
    if (!combgpu__tsp_unpack(tsp->m, record + 2, order) ||
        (uint64_t)combgpu__tsp_order_cost(tsp, order) != combgpu__get64(record))
        return combgpu__fail(job->ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s: the tour that it found is not as long as it says",
                             job->kernel.name);
    job->sums[COMBGPU__TSP_HAS] = 1;
    job->sums[COMBGPU__TSP_LENGTH] = combgpu__get64(record);
    for (i = 0; i < 4; i++)
        job->sums[COMBGPU__TSP_ORDER + i] = combgpu__get64(record + 2 + 2 * i);
    return COMBGPU_RUNNING;
}

/* Held-Karp: a chunk that ended with its layer did not use its budget up, and says nothing about
   how much the next slice can do. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_slice_done(combgpu_job *job,
                                                        const combgpu__share *share)
{
    combgpu__tsp *tsp = (combgpu__tsp *)job->state;
    uint64_t steps = job->sums[0] - tsp->steps_seen;
    if (tsp->method != COMBGPU_TSP_HELD_KARP) return COMBGPU_OK;
    if (steps < (uint64_t)tsp->budget * share->workers / 2 && job->budget > tsp->budget)
        job->budget = tsp->budget;
    tsp->budget = job->budget;
    tsp->steps_seen = job->sums[0];
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__tsp_fraction(const combgpu_job *job)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    double shards = job->run.shard_count > 1 ? job->run.shard_count : 1;
    double fraction = (double)job->sums[0] * shards / (double)tsp->all_steps;
    return fraction < 1 ? fraction : 1;
}

/* A table is not part of a checkpoint: its task begins again. */
COMBGPU__PRIVATE int combgpu__tsp_adopt_task(combgpu_job *job, uint32_t *task)
{
    combgpu__tsp *tsp = (combgpu__tsp *)job->state;
    if (tsp->method == COMBGPU_TSP_HELD_KARP) {
        memset(task, 0, COMBGPU__TSP_TASK_WORDS * sizeof *task);
        return tsp->adopted++ == 0;
    }
    return combgpu__get64(task) < combgpu__get64(task + 2) &&
           combgpu__get64(task + 2) <= tsp->prefixes && tsp->m > COMBGPU__TSP_SUFFIX;
}

COMBGPU__PRIVATE int combgpu__tsp_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    int order[COMBGPU__TSP_MOST];
    return tsp->method == COMBGPU_TSP_BRUTE_FORCE ? combgpu__get64(record + 2) < tsp->prefixes
                                                  : combgpu__tsp_unpack(tsp->m, record + 2, order);
}

static const combgpu__problem combgpu__tsp_problem = {"tsp",
                                                      combgpu__tsp_frontier,
                                                      combgpu__tsp_record,
                                                      combgpu__tsp_slice_done,
                                                      combgpu__tsp_fraction,
                                                      NULL,
                                                      combgpu__tsp_adopt_task,
                                                      combgpu__tsp_adopt_record,
                                                      NULL};

/* ---- begin */

static const combgpu__kernel combgpu__tsp_brute_kernel = {
    "combgpu_tsp_brute", "TSP", combgpu__tsp_brute_solve, 128, 128, 2, 1u << 20, NULL, NULL};
static const combgpu__kernel combgpu__tsp_table_kernel = {
    "combgpu_tsp_table", "TSP", combgpu__tsp_table_solve, 32, 32, 1, 1u << 17, NULL, NULL};

/* Everything that the engine wants to know. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_setup(combgpu_job *job)
{
    combgpu__tsp *tsp = (combgpu__tsp *)job->state;
    uint64_t hash = 0;
    double bytes = combgpu__tsp_table_bytes(tsp->m, tsp->low, tsp->wide);
    int brute = tsp->method == COMBGPU_TSP_BRUTE_FORCE, i;
    tsp->depth = tsp->m - COMBGPU__TSP_SUFFIX > 1 ? tsp->m - COMBGPU__TSP_SUFFIX : tsp->m > 1;
    tsp->prefixes = tsp->m > 0;
    for (i = 0; i < tsp->depth; i++) /* without direction no tour begins with the last city */
        tsp->prefixes *= (uint64_t)(tsp->m - i - (!i && tsp->reversible));
    tsp->all_steps = brute ? (uint64_t)(combgpu__tsp_factorial(tsp->m) / (1 + tsp->reversible))
                           : ((uint64_t)tsp->m << tsp->m) / 2;
    if (!tsp->all_steps) tsp->all_steps = 1;
    tsp->bound = combgpu__tsp_simple_bound(tsp);
    job->kernel = brute ? combgpu__tsp_brute_kernel : combgpu__tsp_table_kernel;
    if (brute) job->merge = combgpu__tsp_merge;
    job->one_device = !brute; /* its layers share a table */
    job->range_tasks = brute;
    job->task_words = COMBGPU__TSP_TASK_WORDS;
    job->record_words = brute ? 4 : COMBGPU__TSP_RECORD_WORDS;
    job->record_capacity = brute ? 8192 : 1;
    job->work_bytes_shared = brute ? 0 : (size_t)bytes;
    if (!brute && bytes > (double)(SIZE_MAX / 2)) return combgpu__no_memory(job->ctx, SIZE_MAX);
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(combgpu__mix(hash + (uint64_t)tsp->first[i]) + (uint64_t)tsp->last[i]);
    for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(hash + (uint64_t)tsp->legs[i]);
    snprintf(job->parameters, sizeof job->parameters,
             "method %d shape %d n %d ends %d %d unit 2^%d weights %016llx", (int)tsp->method,
             (int)tsp->shape, tsp->n, tsp->front + 1, tsp->back + 1, -tsp->scale,
             (unsigned long long)hash);
    return combgpu__tsp_tables(job);
}

/* SECTION 51. With method AUTO branch_begin may return RUNNING: Held-Karp is the better choice. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_begin(combgpu_context *ctx,
                                                      const combgpu_tsp_desc *desc,
                                                      combgpu_job **out);
COMBGPU__PRIVATE combgpu_status combgpu__branch_end(combgpu_job *job, combgpu_tsp_result *result);
COMBGPU__PRIVATE int combgpu__branch_is(const combgpu_job *job);

/* The method of the checkpoint that a run goes on from, or merges: AUTO chose it on what may have been
   another device, or for a shard. AUTO if it says none. */
COMBGPU__PRIVATE combgpu_tsp_method combgpu__tsp_resumed(combgpu_context *ctx,
                                                         const combgpu_run_desc *run)
{
    static const char head[] = COMBGPU__CHECKPOINT_MAGIC "problem tsp";
    static const char branch[] = " branch and bound\n", method[] = "\nparameters method ";
    char text[128] = "";
    const char *rest = text + sizeof head - 1;
    combgpu__checkpoint_head(ctx, run, text, sizeof text);
    if (strncmp(text, head, sizeof head - 1)) return COMBGPU_TSP_AUTO;
    if (!strncmp(rest, branch, sizeof branch - 1)) return COMBGPU_TSP_BRANCH_AND_BOUND;
    if (strncmp(rest, method, sizeof method - 1)) return COMBGPU_TSP_AUTO;
    rest += sizeof method - 1;
    return *rest == '1'   ? COMBGPU_TSP_BRUTE_FORCE
           : *rest == '2' ? COMBGPU_TSP_HELD_KARP
                          : COMBGPU_TSP_AUTO;
}

COMBGPU__DEF combgpu_status combgpu_tsp_begin(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                              combgpu_job **out)
{
    combgpu_job *job;
    combgpu__tsp *tsp;
    combgpu_tsp_desc chosen;
    combgpu_status status;
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
    chosen = *desc;
    if (chosen.method == COMBGPU_TSP_AUTO) chosen.method = combgpu__tsp_resumed(ctx, &desc->run);
    desc = &chosen;
    if (desc->method == COMBGPU_TSP_BRANCH_AND_BOUND ||
        (desc->method == COMBGPU_TSP_AUTO && desc->instance && desc->run.shard_count <= 1 &&
         desc->instance->n > COMBGPU__TSP_TABLE_FIRST)) {
        status = combgpu__branch_begin(ctx, desc, out);
        if (status != COMBGPU_RUNNING) return status;
    }
    status = combgpu__job_create(ctx, &combgpu__tsp_problem, sizeof *tsp, &desc->run, &job);
    if (status) return status;
    tsp = (combgpu__tsp *)job->state;
    status = combgpu__tsp_check_desc(ctx, desc);
    if (!status) status = combgpu__tsp_form(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_choose(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_setup(job);
    if (!status) status = combgpu__job_start(job);
    if (!status && tsp->method == COMBGPU_TSP_HELD_KARP && job->reserve_count) {
        memset(job->sums, 0, sizeof job->sums); /* a resumed table begins again */
        job->steps_at_start = 0;
    }
    tsp->budget = job->budget;
    return combgpu__job_begun(job, status, out);
}

/* ---- end */

/* Completes order[0 .. place-1] to the lexicographically smallest order of the given cost; 0 if
   there is none. `rest` is what it may still cost. */
COMBGPU__PRIVATE int combgpu__tsp_complete(const combgpu__tsp *tsp, int *order, int place,
                                           uint32_t used, int64_t rest)
{
    int c, from = order[place - 1];
    if (place == tsp->m) return rest == tsp->last[from] && !(tsp->reversible && from < order[0]);
    for (c = 0; c < tsp->m; c++) {
        int64_t leg = tsp->legs[from * COMBGPU__TSP_MOST + c];
        order[place] = c;
        if (!(used >> c & 1) && leg <= rest &&
            combgpu__tsp_complete(tsp, order, place + 1, used | 1u << c, rest - leg))
            return 1;
    }
    return 0;
}

/* The order that the sums tell of. They may come from a checkpoint: 0 if there is no such order. */
COMBGPU__PRIVATE int combgpu__tsp_answer(const combgpu_job *job, int *order)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)job->state;
    int64_t length = (int64_t)job->sums[COMBGPU__TSP_LENGTH];
    uint64_t prefix = job->sums[COMBGPU__TSP_PREFIX];
    if (!tsp->m) return length == tsp->nothing;
    if (tsp->method == COMBGPU_TSP_BRUTE_FORCE) {
        int64_t rest;
        uint32_t used = 0;
        int i;
        if (prefix >= tsp->prefixes) return 0;
        combgpu__tsp_unrank(tsp->m, tsp->depth, prefix, order);
        rest = length - tsp->first[order[0]];
        for (i = 0; i < tsp->depth; i++) {
            if (i) rest -= tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
            used |= 1u << order[i];
        }
        if (tsp->m == 1) return rest == tsp->last[0];
        return combgpu__tsp_complete(tsp, order, tsp->depth, used, rest);
    } else {
        uint32_t words[8];
        int i;
        for (i = 0; i < 4; i++)
            combgpu__put64(words + 2 * i, job->sums[COMBGPU__TSP_ORDER + i]);
        return combgpu__tsp_unpack(tsp->m, words, order) &&
               combgpu__tsp_order_cost(tsp, order) == length;
    }
}

/* A hash of the answer, for Held-Karp's checksum. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_answer_hash(const combgpu__tsp *tsp, const int *order)
{
    uint64_t hash = (uint64_t)combgpu__tsp_order_cost(tsp, order);
    int i;
    for (i = 0; i < tsp->m; i++)
        hash = combgpu__mix(hash + (uint64_t)order[i]);
    return combgpu__mix(hash);
}

COMBGPU__DEF combgpu_status combgpu_tsp_end(combgpu_job *job, combgpu_tsp_result *result)
{
    const combgpu__tsp *tsp;
    combgpu_status status;
    uint64_t checksum;
    int order[COMBGPU__TSP_MOST] = {0}, complete, i, at = 0;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (combgpu__branch_is(job)) return combgpu__branch_end(job, result);
    status = combgpu__is_job(job, job->problem == &combgpu__tsp_problem, "combgpu_tsp_begin");
    if (status) return status;
    status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    if (!result && status >= 0)
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    if (result) memset(result, 0, sizeof *result);
    tsp = (const combgpu__tsp *)job->state;
    if (status >= 0 && !job->sums[COMBGPU__TSP_HAS])
        combgpu__tsp_nearest(tsp, order);
    else if (status >= 0 && !combgpu__tsp_answer(job, order))
        status = combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                               "kernel %s (or the checkpoint) says that a tour exists which does "
                               "not: the device computes wrong",
                               job->kernel.name);
    if (status >= 0) {
        complete = status == COMBGPU_OK && job->sums[COMBGPU__TSP_HAS] && job->run.shard_count <= 1;
        result->length = ldexp((double)combgpu__tsp_order_cost(tsp, order), -tsp->scale);
        result->lower_bound = complete ? result->length : ldexp((double)tsp->bound, -tsp->scale);
        result->optimal = complete;
        result->method = tsp->method;
        result->shape = tsp->shape;
        result->n = tsp->n;
        if (tsp->front >= 0) result->tour[at++] = tsp->front;
        for (i = 0; i < tsp->m; i++)
            result->tour[at++] = tsp->city[order[i]];
        if (tsp->shape == COMBGPU_TSP_PATH && tsp->back >= 0) result->tour[at++] = tsp->back;
        result->tours = tsp->method == COMBGPU_TSP_BRUTE_FORCE ? job->sums[0] : 0;
        checksum = tsp->method == COMBGPU_TSP_BRUTE_FORCE ? job->sums[1]
                   : job->sums[COMBGPU__TSP_HAS]          ? combgpu__tsp_answer_hash(tsp, order)
                                                          : 0;
        combgpu__run_info(job, checksum, &result->run);
    }
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp(combgpu_context *ctx, const combgpu_tsp_desc *desc,
                                        combgpu_tsp_result *result)
{
    combgpu_job *job;
    combgpu_status status;
    if (ctx && !result) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    status = combgpu_tsp_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_tsp_end(job, result);
}

/* ---- instances */

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_n(combgpu_context *ctx, int n)
{
    if (n < 1 || n > COMBGPU_TSP_MAX_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", n,
                             COMBGPU_TSP_MAX_DIMENSION);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_tour_size(combgpu_context *ctx, int n,
                                                             const int *tour)
{
    combgpu_status status = combgpu__tsp_check_n(ctx, n);
    if (status || tour) return status;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "tour is NULL");
}

/* Empties an instance that is to have n cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_empty(combgpu_context *ctx, int n,
                                                   combgpu_tsp_instance *instance)
{
    if (!instance) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "instance is NULL");
    memset(instance, 0, sizeof *instance);
    return combgpu__tsp_check_n(ctx, n);
}

COMBGPU__PRIVATE double *combgpu__tsp_doubles(combgpu_context *ctx, size_t count,
                                              combgpu_status *status)
{
    size_t bytes = combgpu__bytes(count, sizeof(double));
    double *made = (double *)combgpu__allocate(ctx, bytes);
    if (!made) *status = combgpu__no_memory(ctx, bytes);
    return made;
}

COMBGPU__DEF void combgpu_tsp_free(combgpu_context *ctx, combgpu_tsp_instance *instance)
{
    if (!ctx || !instance) return;
    combgpu__release(ctx, instance->weights);
    combgpu__release(ctx, instance->x);
    combgpu__release(ctx, instance->y);
    memset(instance, 0, sizeof *instance);
}

/* Checks the weights and sets the flags that depend on them. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_classify(combgpu_context *ctx,
                                                      combgpu_tsp_instance *instance)
{
    combgpu__tsp_weights weights;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &weights);
    instance->symmetric = weights.symmetric;
    instance->integral = weights.integral;
    return status;
}

/* From one of the two matrices. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_copy(combgpu_context *ctx, int n,
                                                  const double *weights, const int *int_weights,
                                                  combgpu_tsp_instance *instance)
{
    combgpu_status status;
    size_t count, i;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, n, instance);
    if (!status && !weights && !int_weights)
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "weights is NULL");
    if (status) return status;
    count = (size_t)n * (size_t)n;
    instance->n = n;
    instance->weights = combgpu__tsp_doubles(ctx, count, &status);
    for (i = 0; !status && i < count; i++)
        instance->weights[i] = weights ? weights[i] : int_weights[i];
    if (!status) status = combgpu__tsp_classify(ctx, instance);
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_matrix(combgpu_context *ctx, int n,
                                                    const double *weights,
                                                    combgpu_tsp_instance *instance)
{
    return combgpu__tsp_copy(ctx, n, weights, NULL, instance);
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_int_matrix(combgpu_context *ctx, int n,
                                                        const int *weights,
                                                        combgpu_tsp_instance *instance)
{
    return combgpu__tsp_copy(ctx, n, NULL, weights, instance);
}

/* sqrt((dx^2 + dy^2) / divisor), each square rounded: no compiler may fuse them, or distances that are
   halves would depend on its options. Where no double can hold a square, dx and dy are scaled. */
COMBGPU__PRIVATE double combgpu__tsp_root(double dx, double dy, double divisor)
{
    volatile double xx, yy;
    double larger = dx > dy ? dx : dy;
    int exponent = 0;
    if (larger > 1e150 || (larger > 0 && larger < 1e-140)) (void)frexp(larger, &exponent);
    if (exponent) {
        dx = ldexp(dx, -exponent);
        dy = ldexp(dy, -exponent);
    }
    xx = dx * dx;
    yy = dy * dy;
    return ldexp(combgpu__sqrt((xx + yy) / divisor), exponent);
}

/* Degrees and minutes DDD.MM to radians, with TSPLIB's constant; the degrees are cut off. */
COMBGPU__PRIVATE double combgpu__tsp_geo_radians(double x)
{
    double degrees = x < 0 ? combgpu__ceil(x) : combgpu__floor(x);
    return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0;
}

/* TSPLIB's GEO: whole kilometres on a sphere of radius 6378.388, plus one. */
COMBGPU__PRIVATE double combgpu__tsp_geo(double x1, double y1, double x2, double y2)
{
    double lat1 = combgpu__tsp_geo_radians(x1), lon1 = combgpu__tsp_geo_radians(y1);
    double lat2 = combgpu__tsp_geo_radians(x2), lon2 = combgpu__tsp_geo_radians(y2);
    double q1 = combgpu__cos(lon1 - lon2), q2 = combgpu__cos(lat1 - lat2);
    double q3 = combgpu__cos(lat1 + lat2);
    volatile double a = (1.0 + q1) * q2, b = (1.0 - q1) * q3;
    double c = 0.5 * (a - b);
    return combgpu__floor(6378.388 * combgpu__arc_cosine(c > 1 ? 1 : c < -1 ? -1 : c) + 1.0);
}

/* Great circle by the haversine formula, stable for near points; degrees. */
COMBGPU__PRIVATE double combgpu__tsp_earth(double x1, double y1, double x2, double y2)
{
    double radians = 3.14159265358979323846 / 180;
    double a = combgpu__sin((x2 - x1) * radians / 2), b = combgpu__sin((y2 - y1) * radians / 2);
    volatile double aa = a * a;
    volatile double bb = combgpu__cos(x1 * radians) * combgpu__cos(x2 * radians) * b * b;
    double c = combgpu__sqrt(aa + bb);
    return 2 * 6371.0088 * combgpu__arc_sine(c > 1 ? 1 : c);
}

/* The metrics as TSPLIB95 defines them (G. Reinelt, 1995); "nearest" is floor(x + 0.5) there. */
COMBGPU__PRIVATE double combgpu__tsp_distance(combgpu_tsp_metric metric, double x1, double y1,
                                              double x2, double y2)
{
    double dx = fabs(x1 - x2), dy = fabs(y1 - y2), exact, nearest;
    switch (metric) {
    case COMBGPU_TSP_EUC_2D:
        return combgpu__floor(combgpu__tsp_root(dx, dy, 1) + 0.5);
    case COMBGPU_TSP_CEIL_2D:
        return combgpu__ceil(combgpu__tsp_root(dx, dy, 1));
    case COMBGPU_TSP_MAN_2D:
        return combgpu__floor(dx + dy + 0.5);
    case COMBGPU_TSP_MAX_2D:
        dx = combgpu__floor(dx + 0.5);
        dy = combgpu__floor(dy + 0.5);
        return dx > dy ? dx : dy;
    case COMBGPU_TSP_ATT:
        exact = combgpu__tsp_root(dx, dy, 10);
        nearest = combgpu__floor(exact + 0.5);
        return nearest < exact ? nearest + 1 : nearest;
    case COMBGPU_TSP_GEO:
        return combgpu__tsp_geo(x1, y1, x2, y2);
    case COMBGPU_TSP_EARTH:
        return combgpu__tsp_earth(x1, y1, x2, y2);
    case COMBGPU_TSP_PLANE:
    case COMBGPU_TSP_MATRIX:
        break;
    }
    return combgpu__tsp_root(dx, dy, 1);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_metric(combgpu_context *ctx,
                                                          combgpu_tsp_metric metric)
{
    if ((int)metric > COMBGPU_TSP_MATRIX && (int)metric <= COMBGPU_TSP_EARTH) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "metric is %d; for coordinates it may be 1 (EUC_2D) to %d (EARTH)",
                         (int)metric, (int)COMBGPU_TSP_EARTH);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_points(combgpu_context *ctx, int n,
                                                          const double *x, const double *y,
                                                          combgpu_tsp_metric metric)
{
    int i;
    for (i = 0; i < n; i++) {
        if (!(fabs(x[i]) <= 1e300 && fabs(y[i]) <= 1e300))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "city %d (counted from 0) is at %g, %g; coordinates may be "
                                 "-1e300 to 1e300",
                                 i, x[i], y[i]);
        if ((metric == COMBGPU_TSP_EARTH || metric == COMBGPU_TSP_GEO) &&
            !(fabs(x[i]) <= 90 && fabs(y[i]) <= 360))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "city %d (counted from 0) is at latitude %g, longitude %g; they "
                                 "may be -90 to 90 and -360 to 360 degrees",
                                 i, x[i], y[i]);
    }
    return COMBGPU_OK;
}

/* weights[n*n] from coordinates, both checked. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure(combgpu_context *ctx, int cities,
                                                     const double *x, const double *y,
                                                     combgpu_tsp_metric metric, double *weights)
{
    int rounded = metric != COMBGPU_TSP_PLANE && metric != COMBGPU_TSP_EARTH;
    size_t n = (size_t)cities, i, j;
    combgpu_status status = combgpu__tsp_check_points(ctx, cities, x, y, metric);
    if (status) return status;
    for (i = 0; i < n; i++) {
        weights[i * n + i] = 0;
        for (j = 0; j < i; j++) {
            double d = combgpu__tsp_distance(metric, x[i], y[i], x[j], y[j]);
            if (!(d <= (rounded ? 9007199254740992.0 : 1e300)))
                return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                     "the distance between cities %d and %d (counted from 0) is "
                                     "%g; it may be %s",
                                     (int)j, (int)i, d,
                                     rounded ? "at most 2^53, else rounding is not exact"
                                             : "at most 1e300");
            weights[i * n + j] = weights[j * n + i] = d;
        }
    }
    return COMBGPU_OK;
}

/* instance->weights from its coordinates. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_measure_instance(combgpu_context *ctx,
                                                              combgpu_tsp_instance *instance)
{
    size_t n = (size_t)instance->n;
    combgpu_status status = COMBGPU_OK;
    instance->weights = combgpu__tsp_doubles(ctx, n * n, &status);
    if (!status)
        status = combgpu__tsp_measure(ctx, instance->n, instance->x, instance->y, instance->metric,
                                      instance->weights);
    return status ? status : combgpu__tsp_classify(ctx, instance);
}

COMBGPU__DEF combgpu_status combgpu_tsp_from_coordinates(combgpu_context *ctx, int n,
                                                         const double *x, const double *y,
                                                         combgpu_tsp_metric metric,
                                                         combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, n, instance);
    if (status) return status;
    if (!x || !y) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", x ? "y" : "x");
    status = combgpu__tsp_check_metric(ctx, metric);
    if (status) return status;
    instance->n = n;
    instance->metric = metric;
    instance->x = combgpu__tsp_doubles(ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(ctx, (size_t)n, &status);
    if (!status) {
        memcpy(instance->x, x, (size_t)n * sizeof *x);
        memcpy(instance->y, y, (size_t)n * sizeof *y);
        status = combgpu__tsp_measure_instance(ctx, instance);
    }
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

/* ---- TSPLIB files

   Lines "KEYWORD : value" and sections of numbers that wrap anywhere. Every function of the reader
   returns OK or has set the message, which names the line of the last token. */

typedef struct combgpu__tsplib {
    combgpu_context *ctx;
    const char *source; /* a path, or "text" */
    const char *at, *end;
    int line;
    const char *token; /* the last one read */
    int length, token_line;
    char point; /* strtod's decimal point: the C library's locale decides */
    char quote[48];
    /* from keywords; -1 or 0 = not yet given */
    int dimension, metric, format, kind;
    int has_tour, has_weights, has_coordinates;
    combgpu_tsp_instance *instance; /* what is read: this, */
    int *tour;                      /* or a tour of n cities */
    int n;
} combgpu__tsplib;

/* "SOURCE, line N: reason". */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_fail(combgpu__tsplib *in, combgpu_status status,
                                                     const char *format, ...) COMBGPU__PRINTF(3, 4);
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_fail(combgpu__tsplib *in, combgpu_status status,
                                                     const char *format, ...)
{
    char reason[300];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return combgpu__fail(in->ctx, status, "%.150s, line %d: %s", in->source, in->token_line,
                         reason);
}

/* Text from the file as it may stand in a message: printable, at most 40 bytes. */
COMBGPU__PRIVATE const char *combgpu__tsplib_quote(combgpu__tsplib *in, const char *text,
                                                   int length)
{
    int i, most = length > 40 ? 40 : length;
    for (i = 0; i < most; i++)
        in->quote[i] = text[i] >= ' ' && text[i] < 127 ? text[i] : '?';
    snprintf(in->quote + most, 4, "%s", length > 40 ? "..." : "");
    return in->quote;
}

COMBGPU__PRIVATE int combgpu__tsplib_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Moves to the next token (text without spaces); 0 at the end. Does not take it. */
COMBGPU__PRIVATE int combgpu__tsplib_peek(combgpu__tsplib *in)
{
    const char *p;
    for (; in->at < in->end && combgpu__tsplib_space(*in->at); in->at++)
        in->line += *in->at == '\n';
    for (p = in->at; p < in->end && !combgpu__tsplib_space(*p);)
        p++;
    in->token = in->at;
    in->token_line = in->line;
    in->length = p - in->at < 100000 ? (int)(p - in->at) : 100000;
    return in->length > 0;
}

COMBGPU__PRIVATE int combgpu__tsplib_digits(const char **p, const char *end)
{
    int digits = 0;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
        digits++;
    return digits;
}

/* Is the token a number? 0 no, 1 an integer, 2 a decimal. [+-] digits [. digits] [e [+-] digits] */
COMBGPU__PRIVATE int combgpu__tsplib_is_number(const combgpu__tsplib *in)
{
    const char *p = in->token, *end = p + in->length;
    int digits, kind = 1;
    if (p < end && (*p == '+' || *p == '-')) p++;
    digits = combgpu__tsplib_digits(&p, end);
    if (p < end && *p == '.') {
        kind = 2;
        p++;
        digits += combgpu__tsplib_digits(&p, end);
    }
    if (digits && p < end && (*p == 'e' || *p == 'E')) {
        kind = 2;
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        digits = combgpu__tsplib_digits(&p, end);
    }
    return digits && p == end ? kind : 0;
}

/* Reads the next token as a number; `format` says what it is for, in messages. If most is not 0 it
   must be an integer least .. most, else at least `least`. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_number(combgpu__tsplib *in, double least, int most,
                                                       double *value, const char *format, ...)
    COMBGPU__PRINTF(5, 6);
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_number(combgpu__tsplib *in, double least, int most,
                                                       double *value, const char *format, ...)
{
    char text[128], what[128], *point;
    int there = combgpu__tsplib_peek(in), kind = combgpu__tsplib_is_number(in);
    va_list args;
    if (kind && in->length < (int)sizeof text) {
        memcpy(text, in->token, (size_t)in->length);
        text[in->length] = 0;
        point = strchr(text, '.');
        if (point) *point = in->point;
        *value = strtod(text, NULL);
        in->at += in->length;
        if (fabs(*value) <= (kind == 1 ? 9007199254740991.0 : 1e300) && *value >= least &&
            (!most || (*value <= most && *value == combgpu__floor(*value))))
            return COMBGPU_OK;
    }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!there) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends before %s", what);
    combgpu__tsplib_quote(in, in->token, in->length);
    if (!kind)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is \"%s\", no number", what,
                                    in->quote);
    if (in->length >= (int)sizeof text)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s has %d digits; it may have 127", what,
                                    in->length);
    if (most)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is %s; it may be %.0f to %d", what,
                                    in->quote, least, most);
    if (*value<least && * value> - 1e300)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s is %s; it may be %g or more", what,
                                    in->quote, least);
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                "%s is %s, which is too large: integers must be below 2^53, "
                                "decimals at most 1e300",
                                what, in->quote);
}

/* The value of a keyword: the rest of the line after an optional ':', without spaces around it. */
COMBGPU__PRIVATE const char *combgpu__tsplib_value(combgpu__tsplib *in, int *length)
{
    const char *value, *end;
    int colons = 0;
    while (in->at < in->end && *in->at != '\n' &&
           (combgpu__tsplib_space(*in->at) || (*in->at == ':' && !colons++)))
        in->at++;
    value = in->at;
    while (in->at < in->end && *in->at != '\n')
        in->at++;
    for (end = in->at; end > value && combgpu__tsplib_space(end[-1]);)
        end--;
    *length = end - value < 100000 ? (int)(end - value) : 100000;
    return value;
}

/* Words may be written in small letters. */
COMBGPU__PRIVATE int combgpu__tsplib_equal(const char *text, int length, const char *word)
{
    int i;
    for (i = 0; i < length && word[i]; i++)
        if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]) != word[i]) return 0;
    return i == length && !word[i];
}

/* The place of the text in a list of words that ends with NULL, or -1. */
COMBGPU__PRIVATE int combgpu__tsplib_choice(const char *text, int length, const char *const *words)
{
    int i;
    for (i = 0; words[i]; i++)
        if (combgpu__tsplib_equal(text, length, words[i])) return i;
    return -1;
}

/* EDGE_WEIGHT_TYPE in the order of combgpu_tsp_metric, EXPLICIT for MATRIX. */
static const char *const combgpu__tsplib_metrics[] = {"EXPLICIT", "EUC_2D", "CEIL_2D", "MAN_2D",
                                                      "MAX_2D",   "ATT",    "GEO",     NULL};

/* EDGE_WEIGHT_FORMAT. Of a symmetric matrix a lower triangle by columns is the upper one by rows:
   from 2 on, even = above, odd = below the diagonal; from 4 on it holds the diagonal. */
static const char *const combgpu__tsplib_formats[] = {
    "FUNCTION",       "FULL_MATRIX",    "UPPER_ROW", "LOWER_ROW",
    "UPPER_DIAG_ROW", "LOWER_DIAG_ROW", "LOWER_COL", "UPPER_COL",
    "LOWER_DIAG_COL", "UPPER_DIAG_COL", NULL};

/* The value as one of some words; a remark may follow it, as in TSPLIB's "TYPE: TSP (M.~Hofmeister)".
   *choice gets its place; `may` names the words. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_word(combgpu__tsplib *in, const char *keyword,
                                                     const char *const *words, const char *may,
                                                     int *choice)
{
    int length, word = 0;
    const char *value = combgpu__tsplib_value(in, &length);
    while (word < length && !combgpu__tsplib_space(value[word]))
        word++;
    *choice = combgpu__tsplib_choice(value, word, words);
    if (*choice >= 0) return COMBGPU_OK;
    return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "%s is \"%s\"; this reads %s", keyword,
                                combgpu__tsplib_quote(in, value, word), may);
}

/* A keyword with a value. Unknown ones are passed over: files carry remarks of many kinds. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_keyword(combgpu__tsplib *in, const char *word,
                                                        int word_length)
{
    static const char *const types[] = {"TSP", "ATSP", NULL}, *const tour_types[] = {"TOUR", NULL};
    static const char *const kinds[] = {"TWOD_COORDS", "NO_COORDS", NULL};
    int length, ignored;
    combgpu_status status = COMBGPU_OK;
    if (combgpu__tsplib_equal(word, word_length, "DIMENSION")) {
        double dimension = 0;
        if (in->dimension)
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "DIMENSION is given twice");
        while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == ':'))
            in->at++;
        status = combgpu__tsplib_number(in, 1, COMBGPU_TSP_MAX_DIMENSION, &dimension, "DIMENSION");
        in->dimension = (int)dimension;
    } else if (combgpu__tsplib_equal(word, word_length, "TYPE"))
        status = combgpu__tsplib_word(in, "TYPE", in->tour ? tour_types : types,
                                      in->tour ? "TOUR" : "TSP and ATSP", &in->kind);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_TYPE"))
        status = combgpu__tsplib_word(in, "EDGE_WEIGHT_TYPE", combgpu__tsplib_metrics,
                                      "EXPLICIT, EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT, GEO",
                                      &in->metric);
    else if (combgpu__tsplib_equal(word, word_length, "EDGE_WEIGHT_FORMAT"))
        status = combgpu__tsplib_word(in, "EDGE_WEIGHT_FORMAT", combgpu__tsplib_formats,
                                      "FULL_MATRIX, and UPPER, LOWER, UPPER_DIAG, LOWER_DIAG with "
                                      "_ROW or _COL",
                                      &in->format);
    else if (combgpu__tsplib_equal(word, word_length, "NODE_COORD_TYPE"))
        status = combgpu__tsplib_word(in, "NODE_COORD_TYPE", kinds, "TWOD_COORDS and NO_COORDS",
                                      &ignored);
    else {
        const char *value = combgpu__tsplib_value(in, &length);
        int i, most = (int)sizeof in->instance->name - 1;
        if (!in->instance || !combgpu__tsplib_equal(word, word_length, "NAME")) return COMBGPU_OK;
        for (i = 0; i < length && i < most; i++)
            in->instance->name[i] = (unsigned char)value[i] < ' ' ? '?' : value[i];
        in->instance->name[i] = 0;
    }
    return status;
}

/* What a section needs: DIMENSION before it, and that it is the first of its kind. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_section(combgpu__tsplib *in, const char *name,
                                                        int *seen)
{
    if ((*seen)++) return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "a second %s", name);
    if (!in->dimension)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "DIMENSION must come before %s", name);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_coordinates(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    int n = in->dimension, i, city;
    combgpu_status status = combgpu__tsplib_section(in, "NODE_COORD_SECTION", &in->has_coordinates);
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, (size_t)n, &status);
    for (i = 0; !status && i < n; i++)
        instance->x[i] = HUGE_VAL; /* not yet given: no number in a file is infinite */
    for (i = 1; !status && i <= n; i++) {
        double node = 1, x = 0, y = 0;
        status = combgpu__tsplib_number(in, 1, n, &node, "node number %d of %d", i, n);
        city = (int)node;
        if (!status && instance->x[city - 1] < HUGE_VAL)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "node %d is given twice", city);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &x, "a coordinate of node %d", city);
        if (!status)
            status = combgpu__tsplib_number(in, -1e300, 0, &y, "a coordinate of node %d", city);
        if (status) break;
        instance->x[city - 1] = x;
        instance->y[city - 1] = y;
    }
    return status;
}

/* Where the k-th number of the format goes: row and column; the triangles count along. */
COMBGPU__PRIVATE void combgpu__tsplib_next_cell(int format, int n, int *row, int *column)
{
    int last = format == 3 ? *row - 1 : format == 5 ? *row : n - 1; /* column that ends the row */
    if (++*column <= last) return;
    ++*row;
    *column = format == 2 ? *row + 1 : format == 4 ? *row : 0;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_weights(combgpu__tsplib *in)
{
    combgpu_status status = combgpu__tsplib_section(in, "EDGE_WEIGHT_SECTION", &in->has_weights);
    int n = in->dimension, format = in->format > 5 ? in->format - 4 : in->format, row, column;
    size_t count, k, size = (size_t)n;
    double *weights = NULL, value;
    if (status) return status;
    if (format < 1)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_FORMAT (and not FUNCTION) must come before "
                                    "EDGE_WEIGHT_SECTION");
    count = format == 1 ? size * size : format < 4 ? size * (size - 1) / 2 : size * (size + 1) / 2;
    /* a file of a few bytes cannot make us allocate a large matrix: each number needs two */
    if ((size_t)(in->end - in->at) / 2 + 1 >= count) {
        weights = combgpu__tsp_doubles(in->ctx, size * size, &status);
        if (status) return status;
        in->instance->weights = weights;
        for (k = 0; k < size * size; k++)
            weights[k] = 0;
    }
    row = format == 3; /* a lower triangle without diagonal begins in row 1, an upper one at 0, 1 */
    column = format == 2;
    for (k = 0; k < count; k++) {
        status = combgpu__tsplib_number(
            in, row == column ? -1e300 : 0, 0, &value, "weight %llu of %llu (from city %d to %d)",
            (unsigned long long)k + 1, (unsigned long long)count, row + 1, column + 1);
        if (status) return status;
        if (weights && row != column) {
            weights[(size_t)row * size + (size_t)column] = value;
            if (format > 1) weights[(size_t)column * size + (size_t)row] = value;
        }
        combgpu__tsplib_next_cell(format, n, &row, &column);
    }
    return COMBGPU_OK;
}

/* The cities of a tour, up to -1 or the end. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_tour(combgpu__tsplib *in)
{
    int i, count;
    combgpu_status status;
    if (!in->dimension) in->dimension = in->n;
    status = combgpu__tsplib_section(in, "TOUR_SECTION", &in->has_tour);
    if (!status && in->dimension != in->n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                      "the tour has DIMENSION %d; %d cities are asked for",
                                      in->dimension, in->n);
    for (count = 0; !status; count++) {
        double city = 0;
        if (!combgpu__tsplib_peek(in) || combgpu__tsplib_equal(in->token, in->length, "-1") ||
            combgpu__tsplib_equal(in->token, in->length, "EOF"))
            break;
        status = combgpu__tsplib_number(in, 1, in->n, &city, "city %d of the tour", count + 1);
        for (i = 0; !status && i < count; i++)
            if (in->tour[i] == (int)city - 1)
                status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour visits city %d twice",
                                              (int)city);
        if (!status) in->tour[count] = (int)city - 1;
    }
    if (!status && count < in->n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour ends after %d of %d cities",
                                      count, in->n);
    for (i = 0; !status && i < 2; i++) /* -1 ends a tour, a second one the section */
        if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, "-1"))
            in->at += in->length;
    return status;
}

/* A section, by its name; what is of no use here is passed over. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_any_section(combgpu__tsplib *in, const char *name,
                                                            int length)
{
    int line = in->token_line;
    if (in->at < in->end && *in->at == ':') in->at++;
    if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, ":")) in->at++;
    in->token_line = line; /* what complaints about the section itself name */
    if (in->instance && combgpu__tsplib_equal(name, length, "NODE_COORD_SECTION"))
        return combgpu__tsplib_coordinates(in);
    if (in->instance && combgpu__tsplib_equal(name, length, "EDGE_WEIGHT_SECTION"))
        return combgpu__tsplib_weights(in);
    if (in->tour && combgpu__tsplib_equal(name, length, "TOUR_SECTION"))
        return combgpu__tsplib_tour(in);
    if (combgpu__tsplib_equal(name, length, "FIXED_EDGES_SECTION") ||
        combgpu__tsplib_equal(name, length, "EDGE_DATA_SECTION"))
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "this does not read %s",
                                    combgpu__tsplib_quote(in, name, length));
    while (combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in))
        in->at += in->length;
    return COMBGPU_OK;
}

/* Does a ':' follow on this line? */
COMBGPU__PRIVATE int combgpu__tsplib_colon(combgpu__tsplib *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
    return in->at < in->end && *in->at == ':';
}

/* Reads all of the text, keyword by keyword. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_read(combgpu__tsplib *in)
{
    static const char *const without_colon[] = {"NAME",
                                                "TYPE",
                                                "COMMENT",
                                                "DIMENSION",
                                                "CAPACITY",
                                                "EDGE_WEIGHT_TYPE",
                                                "EDGE_WEIGHT_FORMAT",
                                                "EDGE_DATA_FORMAT",
                                                "NODE_COORD_TYPE",
                                                "DISPLAY_DATA_TYPE",
                                                NULL};
    combgpu_status status = COMBGPU_OK;
    while (!status && combgpu__tsplib_peek(in)) {
        const char *word = in->token, *colon = (const char *)memchr(word, ':', (size_t)in->length);
        int length = colon ? (int)(colon - word) : in->length;
        if (combgpu__tsplib_is_number(in))
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                        "the number %s where a keyword is expected: a section has "
                                        "more numbers than it needs",
                                        combgpu__tsplib_quote(in, word, length));
        if (!length || !((*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z')))
            return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "\"%s\" where a keyword is expected",
                                        combgpu__tsplib_quote(in, word, in->length));
        in->at += length;
        if (combgpu__tsplib_equal(word, length, "EOF")) break;
        if (length > 8 && combgpu__tsplib_equal(word + length - 8, 8, "_SECTION"))
            status = combgpu__tsplib_any_section(in, word, length);
        else if (combgpu__tsplib_colon(in) ||
                 combgpu__tsplib_choice(word, length, without_colon) >= 0)
            status = combgpu__tsplib_keyword(in, word, length);
        else
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                          "\"%s\" is no keyword (a remark needs \"COMMENT :\")",
                                          combgpu__tsplib_quote(in, word, length));
    }
    return status;
}

/* What must have been given, then the weights. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_build(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    const char *missing = in->kind < 0                              ? "TYPE"
                          : !in->dimension                          ? "DIMENSION"
                          : in->metric < 0                          ? "EDGE_WEIGHT_TYPE"
                          : in->metric == 0 && !in->has_weights     ? "EDGE_WEIGHT_SECTION"
                          : in->metric != 0 && !in->has_coordinates ? "NODE_COORD_SECTION"
                                                                    : NULL;
    size_t n = (size_t)in->dimension, i, j;
    combgpu_status status;
    if (missing)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends, %s is missing", missing);
    if (in->metric != 0 && in->has_weights)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "EDGE_WEIGHT_TYPE is %s, yet there is an EDGE_WEIGHT_SECTION",
                                    combgpu__tsplib_metrics[in->metric]);
    instance->n = in->dimension;
    instance->metric = (combgpu_tsp_metric)in->metric;
    status = in->metric ? combgpu__tsp_measure_instance(in->ctx, instance)
                        : combgpu__tsp_classify(in->ctx, instance);
    if (status == COMBGPU_INVALID_ARGUMENT) { /* a coordinate or a distance that cannot be */
        char reason[200];
        snprintf(reason, sizeof reason, "%.199s", in->ctx->message);
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "%s", reason);
    }
    if (status || in->kind == 1 || instance->symmetric) return status;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            if (instance->weights[i * n + j] != instance->weights[j * n + i])
                return combgpu__tsplib_fail(
                    in, COMBGPU_BAD_FILE,
                    "TYPE is TSP, but the weight from city %d to %d is %g and back %g: it may be "
                    "ATSP",
                    (int)j + 1, (int)i + 1, instance->weights[j * n + i],
                    instance->weights[i * n + j]);
    return status;
}

/* Reads an instance, or a tour of n cities. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_text(combgpu_context *ctx, const char *source,
                                                     const char *text, size_t bytes,
                                                     combgpu_tsp_instance *instance, int n,
                                                     int *tour)
{
    combgpu__tsplib in;
    combgpu_status status;
    if (!text) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "text is NULL");
    memset(&in, 0, sizeof in);
    in.ctx = ctx;
    in.source = source;
    in.at = text;
    in.end = text + bytes;
    in.line = 1;
    in.kind = in.metric = in.format = -1;
    in.instance = instance;
    in.tour = tour;
    in.n = n;
    snprintf(in.quote, sizeof in.quote, "%.1f", 0.5);
    in.point = in.quote[1];
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) in.at += 3; /* UTF-8's mark */
    status = combgpu__tsplib_read(&in);
    if (!status && instance) status = combgpu__tsplib_build(&in);
    if (!status && tour && !in.has_tour)
        status =
            combgpu__tsplib_fail(&in, COMBGPU_BAD_FILE, "the file ends, TOUR_SECTION is missing");
    if (status) combgpu_tsp_free(ctx, instance);
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_file(combgpu_context *ctx, const char *path,
                                                     combgpu_tsp_instance *instance, int n,
                                                     int *tour)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    combgpu_status status;
    if (!path) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "path is NULL");
#if !defined(COMBGPU_NO_STDIO) && (defined(__unix__) || defined(__APPLE__)) &&                     \
    defined(CLOCK_MONOTONIC)
    status = combgpu__read_file(ctx, path, &bytes, &size);
    if (!status && !bytes)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s does not exist", path);
#else
    status = combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                           "%s: this build has no files; use the function that reads text", path);
#endif
    if (!status)
        status = combgpu__tsplib_text(ctx, path, (const char *)bytes, size, instance, n, tour);
    combgpu__release(ctx, bytes);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_read(combgpu_context *ctx, const char *path,
                                             combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, 1, instance);
    return status ? status : combgpu__tsplib_file(ctx, path, instance, 0, NULL);
}

COMBGPU__DEF combgpu_status combgpu_tsp_parse(combgpu_context *ctx, const char *text, size_t bytes,
                                              combgpu_tsp_instance *instance)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_empty(ctx, 1, instance);
    return status ? status : combgpu__tsplib_text(ctx, "text", text, bytes, instance, 0, NULL);
}

COMBGPU__DEF combgpu_status combgpu_tsp_read_tour(combgpu_context *ctx, const char *path, int n,
                                                  int *tour)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_tour_size(ctx, n, tour);
    return status ? status : combgpu__tsplib_file(ctx, path, NULL, n, tour);
}

COMBGPU__DEF combgpu_status combgpu_tsp_parse_tour(combgpu_context *ctx, const char *text,
                                                   size_t bytes, int n, int *tour)
{
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_tour_size(ctx, n, tour);
    return status ? status : combgpu__tsplib_text(ctx, "text", text, bytes, NULL, n, tour);
}

/* ---- tours */

/* Is it a permutation of 0 .. n-1? */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_tour(combgpu_context *ctx, const char *name,
                                                        int n, const int *tour)
{
    combgpu_status status = combgpu__tsp_check_tour_size(ctx, n, tour);
    unsigned char *seen;
    int i;
    if (status) return status;
    seen = (unsigned char *)combgpu__allocate_zeroed(ctx, (size_t)n);
    if (!seen) return combgpu__no_memory(ctx, (size_t)n);
    for (i = 0; !status && i < n; i++)
        if (tour[i] < 0 || tour[i] >= n)
            status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s[%d] is %d; it may be 0 to %d",
                                   name, i, tour[i], n - 1);
        else if (seen[tour[i]]++)
            status =
                combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                              "%s[%d] is %d, which the tour has visited before", name, i, tour[i]);
    combgpu__release(ctx, seen);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_length(combgpu_context *ctx,
                                               const combgpu_tsp_instance *instance,
                                               combgpu_tsp_shape shape, const int *tour,
                                               double *length)
{
    combgpu__tsp_weights weights;
    int64_t sum = 0;
    int n, i;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_instance(ctx, instance);
    if (!status) status = combgpu__tsp_check_tour(ctx, "tour", instance->n, tour);
    if (!status) status = combgpu__tsp_check_shape(ctx, shape);
    if (!status && !length) status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "length is NULL");
    if (!status) status = combgpu__tsp_check_weights(ctx, instance, &weights);
    if (status) return status;
    n = instance->n;
    for (i = 1; i < n + (shape == COMBGPU_TSP_CYCLE && n > 1); i++)
        sum += combgpu__tsp_cost(
            instance->weights[(size_t)tour[i - 1] * (size_t)n + (size_t)tour[i % n]],
            weights.scale);
    *length = ldexp((double)sum, -weights.scale);
    return COMBGPU_OK;
}

/* Appends to a text of which only `bytes` may be written; *at counts all. */
COMBGPU__PRIVATE void combgpu__tsp_append(char *text, size_t bytes, size_t *at, const char *format,
                                          ...) COMBGPU__PRINTF(4, 5);
COMBGPU__PRIVATE void combgpu__tsp_append(char *text, size_t bytes, size_t *at, const char *format,
                                          ...)
{
    va_list args;
    int length;
    va_start(args, format);
    length = *at < bytes ? vsnprintf(text + *at, bytes - *at, format, args)
                         : vsnprintf(NULL, 0, format, args);
    va_end(args);
    *at += (size_t)length;
}

/* The end of a text: is there room for all of it and its NUL? */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_written(combgpu_context *ctx, const char *what,
                                                     char *text, size_t bytes, size_t at,
                                                     size_t *needed)
{
    if (needed) *needed = at + 1;
    if (bytes > at || (!text && needed)) return COMBGPU_OK;
    if (bytes) text[0] = 0;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "bytes is %llu; this %s needs %llu",
                         (unsigned long long)bytes, what, (unsigned long long)at + 1);
}

COMBGPU__DEF combgpu_status combgpu_tsp_write_tour(combgpu_context *ctx, const char *name, int n,
                                                   const int *tour, char *text, size_t bytes,
                                                   size_t *needed)
{
    size_t at = 0;
    int i;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_tour(ctx, "tour", n, tour);
    if (status) return status;
    if (!text) bytes = 0;
    if (name)
        combgpu__tsp_append(text, bytes, &at, "NAME : %.*s\n", (int)strcspn(name, "\r\n"), name);
    combgpu__tsp_append(text, bytes, &at, "TYPE : TOUR\nDIMENSION : %d\nTOUR_SECTION\n", n);
    for (i = 0; i < n; i++)
        combgpu__tsp_append(text, bytes, &at, "%d\n", tour[i] + 1);
    combgpu__tsp_append(text, bytes, &at, "-1\nEOF\n");
    return combgpu__tsp_written(ctx, "tour", text, bytes, at, needed);
}

/* ---- drawing */

#define COMBGPU__SVG_WIDTH 800
#define COMBGPU__SVG_MARGIN 20

/* How coordinates become places in the picture, in tenths of a unit. */
typedef struct combgpu__svg {
    const combgpu_tsp_instance *instance;
    double left, top, scale_x, scale_y; /* of the picture's x, y */
    int sphere;                         /* x is the latitude: it goes up */
    int height;
} combgpu__svg;

/* Degrees; GEO has DDD.MM. */
COMBGPU__PRIVATE double combgpu__svg_degrees(const combgpu__svg *svg, double x)
{
    return svg->instance->metric == COMBGPU_TSP_GEO ? combgpu__tsp_geo_radians(x) * (180 / 3.141592)
                                                    : x;
}

COMBGPU__PRIVATE double combgpu__svg_x(const combgpu__svg *svg, int city)
{
    return svg->sphere ? combgpu__svg_degrees(svg, svg->instance->y[city]) : svg->instance->x[city];
}

COMBGPU__PRIVATE double combgpu__svg_y(const combgpu__svg *svg, int city)
{
    return svg->sphere ? combgpu__svg_degrees(svg, svg->instance->x[city]) : svg->instance->y[city];
}

/* The picture holds all cities; both directions have one scale, as the map's middle has it. */
COMBGPU__PRIVATE void combgpu__svg_fit(combgpu__svg *svg, const combgpu_tsp_instance *instance)
{
    double right, bottom, wide, tall, largest;
    int i;
    memset(svg, 0, sizeof *svg);
    svg->instance = instance;
    svg->sphere = instance->metric == COMBGPU_TSP_GEO || instance->metric == COMBGPU_TSP_EARTH;
    svg->left = right = combgpu__svg_x(svg, 0);
    svg->top = bottom = combgpu__svg_y(svg, 0);
    for (i = 1; i < instance->n; i++) {
        double x = combgpu__svg_x(svg, i), y = combgpu__svg_y(svg, i);
        if (x < svg->left) svg->left = x;
        if (x > right) right = x;
        if (y > svg->top) svg->top = y;
        if (y < bottom) bottom = y;
    }
    /* halves, so that 1e300 - -1e300 is no infinity */
    wide = right / 2 - svg->left / 2;
    tall = svg->top / 2 - bottom / 2;
    if (svg->sphere) wide *= combgpu__cos((svg->top + bottom) / 2 * (3.14159265358979323846 / 180));
    largest = wide > tall ? wide : tall;
    if (!(largest > 1e-300)) largest = 1; /* all in one place */
    svg->scale_x = svg->scale_y = (COMBGPU__SVG_WIDTH - 2 * COMBGPU__SVG_MARGIN) / largest * 5;
    if (svg->sphere && right > svg->left) svg->scale_x *= wide / (right / 2 - svg->left / 2);
    svg->height = (int)(tall / largest * (COMBGPU__SVG_WIDTH - 2 * COMBGPU__SVG_MARGIN)) +
                  2 * COMBGPU__SVG_MARGIN;
}

/* A city's place as "123.4 56.7": the C library's decimal point may be another one. */
COMBGPU__PRIVATE void combgpu__svg_place(const combgpu__svg *svg, int city, char *text,
                                         size_t bytes, const char *between)
{
    int x = (int)((combgpu__svg_x(svg, city) / 2 - svg->left / 2) * 2 * svg->scale_x + 0.5) +
            10 * COMBGPU__SVG_MARGIN;
    int y = (int)((svg->top / 2 - combgpu__svg_y(svg, city) / 2) * 2 * svg->scale_y + 0.5) +
            10 * COMBGPU__SVG_MARGIN;
    snprintf(text, bytes, "%d.%d%s%d.%d", x / 10, x % 10, between, y / 10, y % 10);
}

COMBGPU__DEF combgpu_status combgpu_tsp_to_svg(combgpu_context *ctx,
                                               const combgpu_tsp_instance *instance,
                                               combgpu_tsp_shape shape, const int *tour, char *text,
                                               size_t bytes, size_t *needed)
{
    combgpu__svg svg;
    char place[64];
    size_t at = 0;
    int i, labels;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_instance(ctx, instance);
    if (!status && (!instance->x || !instance->y))
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                               "instance has no coordinates: it cannot be drawn");
    if (!status) status = combgpu__tsp_check_shape(ctx, shape);
    if (!status)
        status =
            combgpu__tsp_check_points(ctx, instance->n, instance->x, instance->y, instance->metric);
    if (!status && tour) status = combgpu__tsp_check_tour(ctx, "tour", instance->n, tour);
    if (status) return status;
    if (!text) bytes = 0;
    labels = instance->n <= 60;
    combgpu__svg_fit(&svg, instance);
    combgpu__tsp_append(text, bytes, &at,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" "
                        "fill=\"#fff\"/>\n",
                        COMBGPU__SVG_WIDTH, svg.height, COMBGPU__SVG_WIDTH, svg.height);
    if (tour) {
        combgpu__tsp_append(text, bytes, &at, "<path d=\"M");
        for (i = 0; i < instance->n; i++) {
            combgpu__svg_place(&svg, tour[i], place, sizeof place, " ");
            combgpu__tsp_append(text, bytes, &at, "%s%s", i ? "\nL" : "", place);
        }
        combgpu__tsp_append(text, bytes, &at,
                            "%s\" fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"2\" "
                            "stroke-linejoin=\"round\"/>\n",
                            shape == COMBGPU_TSP_CYCLE ? "Z" : "");
    }
    combgpu__tsp_append(text, bytes, &at,
                        "<g fill=\"#24292f\" font-family=\"sans-serif\" "
                        "font-size=\"11\">\n");
    for (i = 0; i < instance->n; i++) {
        combgpu__svg_place(&svg, i, place, sizeof place, "\" cy=\"");
        combgpu__tsp_append(text, bytes, &at, "<circle cx=\"%s\" r=\"3\"/>\n", place);
        if (!labels) continue;
        combgpu__svg_place(&svg, i, place, sizeof place, "\" y=\"");
        combgpu__tsp_append(text, bytes, &at, "<text dx=\"5\" dy=\"-4\" x=\"%s\">%d</text>\n",
                            place, i + 1);
    }
    combgpu__tsp_append(text, bytes, &at, "</g>\n</svg>\n");
    return combgpu__tsp_written(ctx, "drawing", text, bytes, at, needed);
}

/* ---- self-test */

/* 8 cities through each kernel and both kinds of table. The answers are those of looking at all
   5040 orders; each is the only one, up to its direction in the symmetric instance. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_self_test(combgpu_context *ctx)
{
    static const struct {
        combgpu_tsp_method method;
        int symmetric;
        double more; /* added to each weight: 0.5 asks for a 64-bit table */
        const char *name;
    } cases[] = {{COMBGPU_TSP_BRUTE_FORCE, 0, 0, "combgpu_tsp_brute"},
                 {COMBGPU_TSP_BRUTE_FORCE, 1, 0.5, "combgpu_tsp_brute"},
                 {COMBGPU_TSP_HELD_KARP, 0, 0, "combgpu_tsp_table (32-bit)"},
                 {COMBGPU_TSP_HELD_KARP, 1, 0.5, "combgpu_tsp_table (64-bit)"},
                 {COMBGPU_TSP_AUTO, 0, 0, "combgpu_tsp_batched (32-bit)"}, /* a batch of one */
                 {COMBGPU_TSP_AUTO, 1, 0.5, "combgpu_tsp_batched (64-bit)"}};
    static const int lengths[2] = {56, 69};
    static const int tours[2][8] = {{0, 4, 6, 1, 2, 5, 7, 3}, {0, 3, 2, 5, 7, 1, 6, 4}};
    combgpu_status status = COMBGPU_OK;
    int k, i, j;
    for (k = 0; k < (int)(sizeof cases / sizeof cases[0]) && !status; k++) {
        const int *tour = tours[cases[k].symmetric];
        double weights[64], length = lengths[cases[k].symmetric] + 8 * cases[k].more;
        combgpu_tsp_instance instance;
        combgpu_tsp_desc desc;
        combgpu_tsp_result result;
        combgpu_tsp_batch_desc batch;
        combgpu_tsp_batch_result solved;
        uint8_t found[8];
        for (i = 0; i < 64; i++) {
            int swap = cases[k].symmetric && i / 8 > i % 8;
            int from = swap ? i % 8 : i / 8, to = swap ? i / 8 : i % 8;
            weights[i] = (37 * from + 11 * to * to + 5 * from * to + 7) % 29 + 1 + cases[k].more;
        }
        memset(&instance, 0, sizeof instance);
        instance.n = 8;
        instance.weights = weights;
        memset(&desc, 0, sizeof desc);
        desc.instance = &instance;
        desc.method = cases[k].method;
        memset(&batch, 0, sizeof batch);
        batch.count = 1;
        batch.n = 8;
        batch.weights = weights;
        batch.lengths = &result.length;
        batch.tours = found;
        status = desc.method ? combgpu_tsp(ctx, &desc, &result)
                             : combgpu_tsp_batch(ctx, &batch, &solved);
        for (j = 0; !status && !desc.method && j < 8; j++)
            result.tour[j] = found[j];
        for (j = 0; !status && j < 8; j++)
            if (result.tour[j] != tour[j] || result.length != length)
                status =
                    combgpu__fail(ctx, COMBGPU_WRONG_RESULT,
                                  "kernel %s: city %d of the tour is %d and not %d, its length "
                                  "%g and not %g",
                                  cases[k].name, j, result.tour[j], tour[j], result.length, length);
    }
    return status;
}

/* (end of SECTION 50) */

/* ======================================== SECTION 51: travelling salesman, branch and bound == */
/* An optimal tour by branch and bound on the 1-tree bound of M. Held and R. M. Karp (The
   traveling-salesman problem and minimum spanning trees, 1970; part II, 1971): a minimum 1-tree (a
   spanning tree and one more edge) never weighs more than the shortest tour; a multiplier on each
   node, added to the weights of its edges, changes all tours by the same amount but not all
   1-trees, and sub-gradient ascent finds multipliers under which the 1-tree is nearly a tour. The
   branching rule and the fixing of edges are those of T. Volgenant and R. Jonker (A branch and
   bound algorithm for the symmetric traveling salesman problem based on the 1-tree relaxation,
   1982).

   Everything is turned into one problem: the shortest Hamiltonian cycle of a sparse undirected
   graph some of whose edges must be in it (forced).

   A path with free ends becomes a cycle by a further city at distance 0 from all others, the
   "depot". If one end is fixed, its edge to the depot is forced. If both are, there is no depot,
   but a forced edge of weight 0 between them.

   An asymmetric instance becomes symmetric by two nodes for a city, "in" and "out", and a forced
   edge of weight 0 between them (R. Jonker and T. Volgenant, 1983). Its root bound is 0 to 1.2 %
   below the optimum of TSPLIB's br17, ftv33, ftv35, p43 and ry48p; the assignment bound is 6 to 13 %
   below, for br17 and p43 almost 100 %.

   Weights and multipliers are 64-bit integers in units of 2^-12 (or so) of the instance's unit, so
   that bounds are exact and equal on every machine. A node of the search tree is a task: its bound,
   multipliers and marks of the edges. The C solver takes a chain of forced edges for one node of the
   1-tree, the kernel (combgpu_kernels.cl, BRANCH) builds it edge by edge with a warp; that both make
   the same trees is what the tests check.

   Tried without profit: 2-matching inequalities, found in the mean of the 1-trees and given
   multipliers of their own. They lift the root's bound by a third (pr76) to two thirds (kroA100) of
   the gap, but the ascent at the nodes then takes more, dearer steps: half the nodes, more time. */

/* The most cities, with the depot; asymmetric: two nodes each. */
#define COMBGPU__BRANCH_CITIES (COMBGPU_TSP_MAX_TOUR + 1)
#define COMBGPU__BRANCH_NODES (2 * COMBGPU__BRANCH_CITIES)
/* Open nodes of the search tree that a worker can hold: the depth is seldom above 60. */
#define COMBGPU__BRANCH_STACK 128
#define COMBGPU__BRANCH_INFINITE INT64_MAX
/* Multipliers stay within +- this: sums of two and a weight stay below 2^58, by which the kernel
   lowers the weights of forced edges. */
#define COMBGPU__BRANCH_MULTIPLIER ((int64_t)1 << 51)

/* The unit of whole numbers is 2^-12, or what keeps tours below 2^50 units. */
#define COMBGPU__BRANCH_FINEST 12

/* Marks of an edge. */
#define COMBGPU__EDGE_FREE 0
#define COMBGPU__EDGE_FORBIDDEN 1
#define COMBGPU__EDGE_FORCED 2

/* The graph, its multipliers at the root, and the best tour known. */
typedef struct combgpu__branch_graph {
    int cities, directed;
    int integral;               /* weights are whole numbers, and so are bounds */
    int depot;                  /* the city that makes a path a cycle, or -1 */
    int forced_from, forced_to; /* the arc that a path with a fixed end forces, or -1 */
    int64_t *costs;             /* cities * cities, in units */
    int scale;                  /* a unit is 2^-scale */
    int64_t divisor;            /* integral: lengths are multiples of it */
    int64_t grain;              /* a tour that is better is better by at least this */
    int nodes, edges;
    uint16_t *ends;       /* two per edge */
    int64_t *weights;     /* per edge */
    unsigned char *marks; /* per edge, at the root */
    int32_t *incident;    /* edges at each node, from incident_begin[node] on */
    int32_t incident_begin[COMBGPU__BRANCH_NODES + 1];
    int64_t multipliers[COMBGPU__BRANCH_NODES];
    int64_t bound;  /* at the root */
    int open;       /* the root did not prove the tour optimal */
    int64_t length; /* of the best tour; workers read and lower it atomically */
    int tour[COMBGPU__BRANCH_CITIES];
} combgpu__branch_graph;

/* An edge as the spanning tree sees it from one end. */
typedef struct combgpu__branch_arc {
    int64_t weight;
    int32_t edge;
    uint16_t to, chain; /* chain: of node `to` */
} combgpu__branch_arc;

/* What a worker computes with: one node of the search tree, and the stack of open ones. */
typedef struct combgpu__branch_work {
    const combgpu__branch_graph *graph;
    int64_t length; /* tours of this length or more are of no interest */
    int found;      /* tour[] is shorter than what was known */
    int tour[COMBGPU__BRANCH_CITIES];
    uint64_t trees; /* 1-trees made */

    unsigned char *marks;
    combgpu__branch_arc *arcs; /* free edges, at both ends */
    int32_t arc_begin[COMBGPU__BRANCH_NODES + 1];
    int64_t multipliers[COMBGPU__BRANCH_NODES];

    /* forced paths and degrees */
    int32_t forced_degree[COMBGPU__BRANCH_NODES]; /* forced edges at a node */
    int32_t open_degree[COMBGPU__BRANCH_NODES];   /* edges not forbidden */
    int32_t other_end[COMBGPU__BRANCH_NODES];     /* of the forced path that ends here */
    int32_t dirty[COMBGPU__BRANCH_NODES];         /* nodes whose degrees changed */
    unsigned char is_dirty[COMBGPU__BRANCH_NODES];
    int dirty_count, forced_count;
    int fixed; /* edges forced or forbidden so far */

    /* chains: paths of forced edges, and nodes without any */
    int32_t chain[COMBGPU__BRANCH_NODES];         /* of a node that is no inner one of a chain */
    int32_t chain_ends[COMBGPU__BRANCH_NODES][2]; /* the second is -1 if there is one node */
    int32_t outer[COMBGPU__BRANCH_NODES];         /* the nodes with less than two forced edges */
    int chain_count, outer_count;
    int64_t forced_weight;

    /* the 1-tree: a spanning tree of the chains, rooted at order[0], and a second edge at a leaf,
       `special` */
    int32_t order[COMBGPU__BRANCH_NODES], rank[COMBGPU__BRANCH_NODES];
    int32_t parent[COMBGPU__BRANCH_NODES], parent_edge[COMBGPU__BRANCH_NODES];
    int32_t degree[COMBGPU__BRANCH_NODES]; /* of nodes, forced edges included */
    int64_t key[COMBGPU__BRANCH_NODES];
    int64_t parent_cost[COMBGPU__BRANCH_NODES]; /* of the edge, multipliers included */
    int32_t fringe[COMBGPU__BRANCH_NODES], place[COMBGPU__BRANCH_NODES];
    int32_t special, special_edge, second_edge; /* special_edge: -1 = a forced one */
    int64_t second_cost;

    int64_t ascent[COMBGPU__BRANCH_NODES], best[COMBGPU__BRANCH_NODES];
    int32_t last_degree[COMBGPU__BRANCH_NODES];
    int64_t replacement[COMBGPU__BRANCH_NODES];

    uint32_t *stack; /* tasks */
    int stack_count;
} combgpu__branch_work;

/* A task: bound, share of the tree (2^62 = all), multipliers, two bits for each edge. */
COMBGPU__PRIVATE size_t combgpu__branch_task_words(int nodes, int edges)
{
    return 4 + 2 * (size_t)nodes + ((size_t)edges + 15) / 16;
}

COMBGPU__PRIVATE size_t combgpu__branch_work_bytes(int nodes, int edges)
{
    size_t marks = ((size_t)edges + 15) / 16 * 16;
    return (sizeof(combgpu__branch_work) + 15) / 16 * 16 + marks +
           2 * (size_t)edges * sizeof(combgpu__branch_arc) +
           (COMBGPU__BRANCH_STACK * combgpu__branch_task_words(nodes, edges) * sizeof(uint32_t) +
            15) /
               16 * 16;
}

/* Lays a worker's arrays out in combgpu__branch_work_bytes bytes at `memory`. */
COMBGPU__PRIVATE combgpu__branch_work *combgpu__branch_work_at(void *memory,
                                                               const combgpu__branch_graph *graph)
{
    char *at = (char *)memory;
    combgpu__branch_work *work = (combgpu__branch_work *)memory;
    memset(work, 0, sizeof *work);
    work->graph = graph;
    at += (sizeof *work + 15) / 16 * 16;
    work->arcs = (combgpu__branch_arc *)(void *)at;
    at += 2 * (size_t)graph->edges * sizeof(combgpu__branch_arc);
    work->stack = (uint32_t *)(void *)at;
    at += (COMBGPU__BRANCH_STACK * combgpu__branch_task_words(graph->nodes, graph->edges) *
               sizeof(uint32_t) +
           15) /
          16 * 16;
    work->marks = (unsigned char *)at;
    return work;
}

/* ---- forced and forbidden edges and what follows from them
   A tour has two edges at each node and no shorter cycle. These functions return 0 when no tour is
   left. */

COMBGPU__PRIVATE void combgpu__branch_touch(combgpu__branch_work *work, int node)
{
    if (work->is_dirty[node]) return;
    work->is_dirty[node] = 1;
    work->dirty[work->dirty_count++] = node;
}

COMBGPU__PRIVATE int combgpu__branch_forbid(combgpu__branch_work *work, int edge)
{
    const uint16_t *ends = work->graph->ends + 2 * edge;
    int i;
    if (work->marks[edge] == COMBGPU__EDGE_FORBIDDEN) return 1;
    if (work->marks[edge] == COMBGPU__EDGE_FORCED) return 0;
    work->marks[edge] = COMBGPU__EDGE_FORBIDDEN;
    work->fixed++;
    for (i = 0; i < 2; i++) {
        if (--work->open_degree[ends[i]] < 2) return 0;
        combgpu__branch_touch(work, ends[i]);
    }
    return 1;
}

/* Enters a forced edge into degrees and paths. The edge that would close the path is forbidden,
   unless it completes the tour. */
COMBGPU__PRIVATE int combgpu__branch_join(combgpu__branch_work *work, int edge)
{
    const combgpu__branch_graph *graph = work->graph;
    int u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1], a, b, i;
    if (work->forced_degree[u] == 2 || work->forced_degree[v] == 2) return 0;
    work->forced_degree[u]++;
    work->forced_degree[v]++;
    work->forced_count++;
    combgpu__branch_touch(work, u);
    combgpu__branch_touch(work, v);
    a = work->other_end[u];
    b = work->other_end[v];
    if (a == v) return work->forced_count == graph->nodes;
    work->other_end[a] = b;
    work->other_end[b] = a;
    if (work->forced_count == graph->nodes - 1) return 1;
    for (i = graph->incident_begin[a]; i < graph->incident_begin[a + 1]; i++) {
        int closing = graph->incident[i];
        if (graph->ends[2 * closing] + graph->ends[2 * closing + 1] == a + b &&
            work->marks[closing] == COMBGPU__EDGE_FREE)
            return combgpu__branch_forbid(work, closing);
    }
    return 1;
}

COMBGPU__PRIVATE int combgpu__branch_force(combgpu__branch_work *work, int edge)
{
    if (work->marks[edge] == COMBGPU__EDGE_FORCED) return 1;
    if (work->marks[edge] == COMBGPU__EDGE_FORBIDDEN) return 0;
    work->marks[edge] = COMBGPU__EDGE_FORCED;
    work->fixed++;
    return combgpu__branch_join(work, edge);
}

/* A node with two forced edges needs no other; one with two edges left needs both. */
COMBGPU__PRIVATE int combgpu__branch_settle(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    while (work->dirty_count) {
        int node = work->dirty[--work->dirty_count], i, fine = 1;
        int force = work->open_degree[node] == 2;
        work->is_dirty[node] = 0;
        if (!force && work->forced_degree[node] < 2) continue;
        for (i = graph->incident_begin[node]; fine && i < graph->incident_begin[node + 1]; i++) {
            int edge = graph->incident[i];
            if (work->marks[edge] != COMBGPU__EDGE_FREE) continue;
            fine = force ? combgpu__branch_force(work, edge) : combgpu__branch_forbid(work, edge);
        }
        if (!fine) return 0;
    }
    return 1;
}

/* Degrees and paths from the marks alone, then all that follows. */
COMBGPU__PRIVATE int combgpu__branch_restore(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    int i, edge, fine = 1;
    work->dirty_count = work->forced_count = 0;
    for (i = 0; i < graph->nodes; i++) {
        work->forced_degree[i] = work->open_degree[i] = 0;
        work->other_end[i] = i;
        work->is_dirty[i] = 0;
    }
    for (i = 0; i < graph->nodes; i++)
        combgpu__branch_touch(work, i);
    for (edge = 0; edge < graph->edges; edge++)
        if (work->marks[edge] != COMBGPU__EDGE_FORBIDDEN) {
            work->open_degree[graph->ends[2 * edge]]++;
            work->open_degree[graph->ends[2 * edge + 1]]++;
        }
    for (i = 0; i < graph->nodes; i++)
        if (work->open_degree[i] < 2) return 0;
    for (edge = 0; fine && edge < graph->edges; edge++)
        if (work->marks[edge] == COMBGPU__EDGE_FORCED) fine = combgpu__branch_join(work, edge);
    return fine && combgpu__branch_settle(work);
}

/* ---- 1-trees
   All forced edges are in the trees of interest. So a path of them, a *chain*, counts as one node of
   the spanning tree, and so does a node without forced edges. Deep in the search most nodes are
   inside of chains. */

/* Lists chains and, node by node, the free edges. */
COMBGPU__PRIVATE void combgpu__branch_arcs(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    int32_t *next = work->fringe;
    int node, edge, end, arcs = 0;
    work->chain_count = work->outer_count = 0;
    work->forced_weight = 0;
    for (node = 0; node < graph->nodes; node++) {
        int other = work->other_end[node];
        work->degree[node] = 2;
        work->arc_begin[node] = next[node] = arcs;
        if (work->forced_degree[node] == 2) continue;
        work->outer[work->outer_count++] = node;
        arcs += work->open_degree[node] - work->forced_degree[node];
        if (other < node) {
            work->chain[node] = work->chain[other];
            continue;
        }
        work->chain_ends[work->chain_count][0] = node;
        work->chain_ends[work->chain_count][1] = other == node ? -1 : other;
        work->chain[node] = work->chain_count++;
    }
    work->arc_begin[node] = arcs;
    for (edge = 0; edge < graph->edges; edge++)
        if (work->marks[edge] == COMBGPU__EDGE_FORCED)
            work->forced_weight += graph->weights[edge];
        else if (work->marks[edge] == COMBGPU__EDGE_FREE)
            for (end = 0; end < 2; end++) {
                combgpu__branch_arc *arc = work->arcs + next[graph->ends[2 * edge + end]]++;
                arc->to = graph->ends[2 * edge + 1 - end];
                arc->chain = (uint16_t)work->chain[arc->to];
                arc->edge = edge;
                arc->weight = graph->weights[edge];
            }
}

/* Offers the edges at a node of a chain that has joined the tree to the fringe. */
COMBGPU__PRIVATE int combgpu__branch_reach(combgpu__branch_work *work, int node, int chain,
                                           const int64_t *multipliers, int fringe_count)
{
    const combgpu__branch_arc *arc = work->arcs + work->arc_begin[node];
    const combgpu__branch_arc *end = work->arcs + work->arc_begin[node + 1];
    int32_t *place = work->place, *edges = work->parent_edge;
    int64_t *key = work->key, multiplier = multipliers[node];
    for (; arc < end; arc++) {
        int other = arc->chain, at = place[other];
        int64_t cost;
        if (at < -1) continue;
        cost = arc->weight + multiplier + multipliers[arc->to];
        if (at < 0) {
            place[other] = at = fringe_count++;
            work->fringe[at] = other;
        } else if (cost > key[at] || (cost == key[at] && arc->edge > edges[other]))
            continue;
        key[at] = cost;
        work->parent[other] = chain;
        edges[other] = arc->edge;
    }
    return fringe_count;
}

/* The minimum spanning tree of the chains under the multipliers (R. C. Prim, 1957; the graph is
   sparse and its fringe short, so a linear scan beats a heap). Returns the cost of its free edges,
   or infinity. Of edges of equal cost the one with the smaller number counts as cheaper: so there is
   one minimum tree, whatever the order in which it is built, and the kernel finds the same. */
COMBGPU__PRIVATE int64_t combgpu__branch_spanning_tree(combgpu__branch_work *work,
                                                       const int64_t *multipliers)
{
    const uint16_t *ends = work->graph->ends;
    int64_t *key = work->key, total = 0; /* of the fringe's chains */
    int32_t *fringe = work->fringe, *place = work->place, *edges = work->parent_edge;
    int fringe_count = 0, count = 0, chain = 0, i;
    for (i = 0; i < work->chain_count; i++)
        place[i] = -1; /* not met; then its place in the fringe; -2: in the tree */
    edges[0] = -1;
    for (;;) {
        int64_t least;
        int at = 0;
        place[chain] = -2;
        work->order[count] = chain;
        work->rank[chain] = count++;
        for (i = 0; i < 2 && work->chain_ends[chain][i] >= 0; i++)
            fringe_count = combgpu__branch_reach(work, work->chain_ends[chain][i], chain,
                                                 multipliers, fringe_count);
        if (!fringe_count) break;
        least = key[0];
        for (i = 1; i < fringe_count; i++)
            if (key[i] <= least && (key[i] < least || edges[fringe[i]] < edges[fringe[at]])) {
                least = key[i];
                at = i;
            }
        chain = fringe[at];
        key[at] = key[--fringe_count];
        fringe[at] = fringe[fringe_count];
        place[fringe[at]] = at;
        work->parent_cost[chain] = least;
        total += least;
        work->degree[ends[2 * edges[chain]]]++;
        work->degree[ends[2 * edges[chain] + 1]]++;
    }
    return count == work->chain_count ? total : COMBGPU__BRANCH_INFINITE;
}

/* Chooses the leaf of the spanning tree whose second edge is the dearest (K. Helsgaun, 2000).
   Returns that edge's cost, or infinity if a leaf has none. */
COMBGPU__PRIVATE int64_t combgpu__branch_second(combgpu__branch_work *work,
                                                const int64_t *multipliers)
{
    int k, i;
    work->special = -1;
    for (k = 0; k < work->outer_count; k++) {
        int node = work->outer[k], chain = work->chain[node], only = -1, second = -1;
        int64_t cost = COMBGPU__BRANCH_INFINITE;
        if (work->degree[node] != 1) continue;
        if (!work->forced_degree[node]) only = work->parent_edge[chain ? chain : work->order[1]];
        for (i = work->arc_begin[node]; i < work->arc_begin[node + 1]; i++) {
            const combgpu__branch_arc *arc = work->arcs + i;
            int64_t c = arc->weight + multipliers[node] + multipliers[arc->to];
            if (arc->edge != only && c < cost) {
                cost = c;
                second = arc->edge;
            }
        }
        if (second < 0) return COMBGPU__BRANCH_INFINITE;
        if (work->special < 0 || cost > work->second_cost) {
            work->special = node;
            work->special_edge = only;
            work->second_edge = second;
            work->second_cost = cost;
        }
    }
    return work->second_cost;
}

/* The minimum 1-tree's cost less twice the multipliers: a lower bound for tours within the marks.
   The spanning tree without a leaf and the leaf's two cheapest edges are a minimum 1-tree for that
   leaf. */
COMBGPU__PRIVATE int64_t combgpu__branch_one_tree(combgpu__branch_work *work,
                                                  const int64_t *multipliers)
{
    int64_t total = work->forced_weight, cost;
    int i;
    for (i = 0; i < work->outer_count; i++) {
        int node = work->outer[i];
        work->degree[node] = work->forced_degree[node];
        total += (work->forced_degree[node] - 2) * multipliers[node];
    }
    work->trees++;
    if (!work->chain_count) return total; /* all edges of a tour are forced */
    cost = combgpu__branch_spanning_tree(work, multipliers);
    if (cost == COMBGPU__BRANCH_INFINITE) return cost;
    total += cost;
    cost = combgpu__branch_second(work, multipliers);
    if (cost == COMBGPU__BRANCH_INFINITE) return cost;
    work->degree[work->graph->ends[2 * work->second_edge]]++;
    work->degree[work->graph->ends[2 * work->second_edge + 1]]++;
    return total + cost;
}

/* Is a free edge in the 1-tree? */
COMBGPU__PRIVATE int combgpu__branch_in_tree(const combgpu__branch_work *work, int edge)
{
    const uint16_t *ends = work->graph->ends + 2 * edge;
    return edge == work->second_edge || work->parent_edge[work->chain[ends[0]]] == edge ||
           work->parent_edge[work->chain[ends[1]]] == edge;
}

/* The 1-tree is a tour: takes it if it is shorter than what is known. */
COMBGPU__PRIVATE void combgpu__branch_tour(combgpu__branch_work *work)
{
    const combgpu__branch_graph *graph = work->graph;
    int32_t next[COMBGPU__BRANCH_NODES][2];
    int count[COMBGPU__BRANCH_NODES], cities = graph->cities, node = 0, last, i;
    int64_t length = 0;
    memset(count, 0, sizeof count);
    for (i = 0; i < graph->edges; i++) {
        int u = graph->ends[2 * i], v = graph->ends[2 * i + 1];
        if (work->marks[i] == COMBGPU__EDGE_FORBIDDEN ||
            (work->marks[i] == COMBGPU__EDGE_FREE && !combgpu__branch_in_tree(work, i)))
            continue;
        next[u][count[u]++] = v;
        next[v][count[v]++] = u;
        length += graph->weights[i];
    }
    if (length >= work->length) return;
    work->length = length;
    work->found = 1;
    /* directed: nodes below `cities` are "in", and a city is entered there */
    last = next[0][0];
    if (graph->directed && last == cities) last = next[0][1];
    for (i = 0; i < graph->nodes; i++) {
        int to = next[node][0] == last ? next[node][1] : next[node][0];
        if (!graph->directed)
            work->tour[i] = node;
        else if (i % 2 == 0)
            work->tour[i / 2] = node;
        last = node;
        node = to;
    }
}

COMBGPU__PRIVATE int64_t combgpu__branch_threshold(const combgpu__branch_work *work)
{
    return work->length - work->graph->grain;
}

/* Sub-gradient ascent from work->multipliers, which become the best found. Returns their bound; one
   above the threshold as soon as there is one. Steps are a multiple of (known length - bound) /
   (sum of squares), `boldness`/1024, lowered by 3/10 after `patience` steps without progress; the
   direction is 7/10 of this 1-tree's degrees and 3/10 of the last one's. */
COMBGPU__PRIVATE int64_t combgpu__branch_ascend(combgpu__branch_work *work, int steps, int patience,
                                                int64_t boldness)
{
    int64_t *now = work->ascent, best = -COMBGPU__BRANCH_INFINITE;
    int waited = 0, i, k;
    memcpy(now, work->multipliers, sizeof work->ascent);
    memcpy(work->best, now, sizeof work->best);
    for (k = 0;; k++) {
        int64_t bound = combgpu__branch_one_tree(work, now), squares = 0, step;
        if (bound > best) {
            best = bound;
            waited = 0;
            if (bound != COMBGPU__BRANCH_INFINITE) memcpy(work->best, now, sizeof work->best);
        } else
            waited++;
        if (bound > combgpu__branch_threshold(work)) break;
        for (i = 0; i < work->outer_count; i++) {
            int32_t excess = work->degree[work->outer[i]] - 2;
            squares += excess * excess;
        }
        if (!squares) {
            combgpu__branch_tour(work);
            break;
        }
        if (k + 1 >= steps) break;
        if (waited >= patience) {
            boldness = boldness * 7 / 10;
            waited = 0;
            if (boldness < 2) break;
        }
        step = (work->length - bound) / squares;
        step = (step >> 10) * boldness + (((step & 1023) * boldness) >> 10);
        if (step < 1) step = 1;
        if (step > COMBGPU__BRANCH_MULTIPLIER) step = COMBGPU__BRANCH_MULTIPLIER;
        for (i = 0; i < work->outer_count; i++) {
            int node = work->outer[i];
            int32_t excess = work->degree[node] - 2;
            int64_t value =
                now[node] +
                step * (k ? 7 * excess + 3 * work->last_degree[node] : 10 * excess) / 10;
            now[node] = value > COMBGPU__BRANCH_MULTIPLIER    ? COMBGPU__BRANCH_MULTIPLIER
                        : value < -COMBGPU__BRANCH_MULTIPLIER ? -COMBGPU__BRANCH_MULTIPLIER
                                                              : value;
            work->last_degree[node] = excess;
        }
    }
    memcpy(work->multipliers, work->best, sizeof work->best);
    return best;
}

/* Forbids every edge whose presence, and forces every edge whose absence, lifts the bound of the
   1-tree at hand above the threshold. Returns 0 when no tour is left. */
COMBGPU__PRIVATE int combgpu__branch_reduce(combgpu__branch_work *work, int64_t bound)
{
    const combgpu__branch_graph *graph = work->graph;
    const int64_t *multipliers = work->multipliers;
    int64_t room = combgpu__branch_threshold(work) - bound, third = COMBGPU__BRANCH_INFINITE;
    int64_t *replacement = work->replacement; /* of the edge to a chain's parent */
    int edge, i, fine = 1;
    for (i = 0; i < work->chain_count; i++)
        replacement[i] = COMBGPU__BRANCH_INFINITE;
    for (edge = 0; fine && edge < graph->edges; edge++) {
        int u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1];
        int64_t cost = graph->weights[edge] + multipliers[u] + multipliers[v];
        int64_t dearest = work->second_cost; /* edge that it can replace */
        if (work->marks[edge] != COMBGPU__EDGE_FREE || combgpu__branch_in_tree(work, edge))
            continue;
        if (u == work->special || v == work->special) {
            if (cost < third) third = cost;
        } else { /* along the cycle that it closes */
            dearest = -COMBGPU__BRANCH_INFINITE;
            u = work->chain[u];
            v = work->chain[v];
            while (u != v) {
                if (work->rank[u] < work->rank[v]) {
                    int swap = u;
                    u = v;
                    v = swap;
                }
                if (cost < replacement[u]) replacement[u] = cost;
                if (work->parent_cost[u] > dearest) dearest = work->parent_cost[u];
                u = work->parent[u];
            }
        }
        if (cost - dearest > room) fine = combgpu__branch_forbid(work, edge);
    }
    for (i = 1; fine && i <= work->chain_count; i++) { /* the last is the second edge */
        int chain = i < work->chain_count ? work->order[i] : 0, second = i == work->chain_count;
        int64_t other, own = second ? work->second_cost : work->parent_cost[chain];
        edge = second ? work->second_edge : work->parent_edge[chain];
        other = second || edge == work->special_edge ? third : replacement[chain];
        if (other == COMBGPU__BRANCH_INFINITE || other - own > room)
            fine = combgpu__branch_force(work, edge);
    }
    return fine && combgpu__branch_settle(work);
}

/* ---- a good tour to start with */

/* A tour under improvement. Costs need not be symmetric. */
typedef struct combgpu__tour_search {
    int cities, symmetric, neighbours;
    const int64_t *costs;
    uint64_t random;
    int tour[COMBGPU__BRANCH_CITIES], position[COMBGPU__BRANCH_CITIES];
    int spare[COMBGPU__BRANCH_CITIES];
    int near[COMBGPU__BRANCH_CITIES][10]; /* the cheapest to go to, cheapest first */
    int queue[COMBGPU__BRANCH_CITIES], queue_first, queue_count; /* cities whose legs changed */
    unsigned char queued[COMBGPU__BRANCH_CITIES];
} combgpu__tour_search;

COMBGPU__PRIVATE int64_t combgpu__leg(const combgpu__tour_search *search, int from, int to)
{
    return search->costs[from * search->cities + to];
}

COMBGPU__PRIVATE int combgpu__next_city(const combgpu__tour_search *search, int city)
{
    int at = search->position[city] + 1;
    return search->tour[at == search->cities ? 0 : at];
}

COMBGPU__PRIVATE int combgpu__last_city(const combgpu__tour_search *search, int city)
{
    int at = search->position[city];
    return search->tour[(at ? at : search->cities) - 1];
}

COMBGPU__PRIVATE void combgpu__tour_queue(combgpu__tour_search *search, int city)
{
    if (search->queued[city]) return;
    search->queued[city] = 1;
    search->queue[(search->queue_first + search->queue_count++) % search->cities] = city;
}

COMBGPU__PRIVATE void combgpu__tour_place(combgpu__tour_search *search, int position, int city)
{
    search->tour[position] = city;
    search->position[city] = position;
}

COMBGPU__PRIVATE int64_t combgpu__cycle_cost(const int64_t *costs, int cities, const int *tour)
{
    int64_t cost = costs[tour[cities - 1] * cities + tour[0]];
    int i;
    for (i = 1; i < cities; i++)
        cost += costs[tour[i - 1] * cities + tour[i]];
    return cost;
}

COMBGPU__PRIVATE int64_t combgpu__tour_cost(const combgpu__tour_search *search)
{
    return combgpu__cycle_cost(search->costs, search->cities, search->tour);
}

/* Reverses the part of the tour from one city on to another. */
COMBGPU__PRIVATE void combgpu__tour_reverse(combgpu__tour_search *search, int from, int to)
{
    int n = search->cities, i = search->position[from], j = search->position[to];
    int length = (j - i + n) % n + 1;
    for (length /= 2; length; length--) {
        int a = search->tour[i], b = search->tour[j];
        combgpu__tour_place(search, i, b);
        combgpu__tour_place(search, j, a);
        i = i + 1 == n ? 0 : i + 1;
        j = j ? j - 1 : n - 1;
    }
}

/* Swaps two neighbouring parts: first..end of first, second..end of second. */
COMBGPU__PRIVATE void combgpu__tour_swap(combgpu__tour_search *search, int first, int first_end,
                                         int second, int second_end)
{
    int at = search->position[first], city, count = 0, i;
    for (city = second;; city = combgpu__next_city(search, city)) {
        search->spare[count++] = city;
        if (city == second_end) break;
    }
    for (city = first;; city = combgpu__next_city(search, city)) {
        search->spare[count++] = city;
        if (city == first_end) break;
    }
    for (i = 0; i < count; i++, at = at + 1 == search->cities ? 0 : at + 1)
        combgpu__tour_place(search, at, search->spare[i]);
}

/* 2-opt: a part reversed so that `city` gets a cheaper neighbour (symmetric costs). */
COMBGPU__PRIVATE int combgpu__tour_two_opt(combgpu__tour_search *search, int a)
{
    int forward, k;
    for (forward = 0; forward < 2; forward++) {
        int b = forward ? combgpu__next_city(search, a) : combgpu__last_city(search, a);
        for (k = 0; k < search->neighbours; k++) {
            int c = search->near[a][k], d;
            int64_t gain = combgpu__leg(search, a, b) - combgpu__leg(search, a, c);
            if (gain <= 0) break;
            d = forward ? combgpu__next_city(search, c) : combgpu__last_city(search, c);
            gain += combgpu__leg(search, c, d) - combgpu__leg(search, b, d);
            if (gain <= 0 || c == b || d == a) continue;
            if (forward)
                combgpu__tour_reverse(search, b, c);
            else
                combgpu__tour_reverse(search, c, b);
            combgpu__tour_queue(search, a), combgpu__tour_queue(search, b);
            combgpu__tour_queue(search, c), combgpu__tour_queue(search, d);
            return 1;
        }
    }
    return 0;
}

/* Or-3opt: two neighbouring parts swapped, none reversed, so that `a` is followed by a nearer city:
   a [b .. c][d .. e] f becomes a [d .. e][b .. c] f. */
COMBGPU__PRIVATE int combgpu__tour_or_three_opt(combgpu__tour_search *search, int a)
{
    int b = combgpu__next_city(search, a), k;
    for (k = 0; k < search->neighbours; k++) {
        int d = search->near[a][k], c, e, f;
        int64_t first = combgpu__leg(search, a, b) - combgpu__leg(search, a, d);
        if (first <= 0) break;
        if (d == b) continue;
        c = combgpu__last_city(search, d);
        first += combgpu__leg(search, c, d);
        for (e = d; e != a; e = f) {
            f = combgpu__next_city(search, e);
            if (first + combgpu__leg(search, e, f) - combgpu__leg(search, e, b) -
                    combgpu__leg(search, c, f) <=
                0)
                continue;
            combgpu__tour_swap(search, b, c, d, e);
            combgpu__tour_queue(search, a), combgpu__tour_queue(search, b);
            combgpu__tour_queue(search, c), combgpu__tour_queue(search, d);
            combgpu__tour_queue(search, e), combgpu__tour_queue(search, f);
            return 1;
        }
    }
    return 0;
}

/* Improves until no city can gain. */
COMBGPU__PRIVATE void combgpu__tour_improve(combgpu__tour_search *search)
{
    while (search->queue_count) {
        int city = search->queue[search->queue_first];
        search->queue_first = (search->queue_first + 1) % search->cities;
        search->queue_count--;
        search->queued[city] = 0;
        while ((search->symmetric && combgpu__tour_two_opt(search, city)) ||
               combgpu__tour_or_three_opt(search, city)) {
        }
    }
}

/* A number below `limit` (xorshift64, G. Marsaglia 2003). */
COMBGPU__PRIVATE int combgpu__tour_random(combgpu__tour_search *search, int limit)
{
    search->random ^= search->random << 13;
    search->random ^= search->random >> 7;
    search->random ^= search->random << 17;
    return (int)((search->random >> 20) % (uint64_t)limit);
}

/* Swaps two random neighbouring parts of at most 50 cities (a local double bridge). */
COMBGPU__PRIVATE void combgpu__tour_kick(combgpu__tour_search *search)
{
    int n = search->cities, within = n < 50 ? n : 50, start, i, j, a, b, c, d, e, f;
    start = combgpu__tour_random(search, n);
    i = 1 + combgpu__tour_random(search, within - 2);
    j = 1 + combgpu__tour_random(search, within - 3);
    if (j >= i) j++;
    if (i > j) {
        int swap = i;
        i = j;
        j = swap;
    }
    a = search->tour[start];
    b = combgpu__next_city(search, a);
    c = search->tour[(start + i) % n];
    d = combgpu__next_city(search, c);
    e = search->tour[(start + j) % n];
    f = combgpu__next_city(search, e);
    combgpu__tour_swap(search, b, c, d, e);
    combgpu__tour_queue(search, a), combgpu__tour_queue(search, b);
    combgpu__tour_queue(search, c), combgpu__tour_queue(search, d);
    combgpu__tour_queue(search, e), combgpu__tour_queue(search, f);
}

/* Nearest neighbour from `first` on. */
COMBGPU__PRIVATE void combgpu__tour_nearest(combgpu__tour_search *search, int first)
{
    unsigned char seen[COMBGPU__BRANCH_CITIES];
    int i, city, to;
    memset(seen, 0, sizeof seen);
    for (i = 0, city = first;; city = to) {
        seen[city] = 1;
        combgpu__tour_place(search, i++, city);
        if (i == search->cities) break;
        for (to = -1, first = 0; first < search->cities; first++)
            if (!seen[first] &&
                (to < 0 || combgpu__leg(search, city, first) < combgpu__leg(search, city, to)))
                to = first;
    }
}

COMBGPU__PRIVATE void combgpu__tour_neighbours(combgpu__tour_search *search)
{
    int i, j, k;
    search->neighbours = search->cities - 1 < 10 ? search->cities - 1 : 10;
    for (i = 0; i < search->cities; i++) {
        int count = 0;
        for (j = 0; j < search->cities; j++) {
            if (j == i) continue;
            if (count == search->neighbours &&
                combgpu__leg(search, i, j) >= combgpu__leg(search, i, search->near[i][count - 1]))
                continue;
            if (count < search->neighbours) count++;
            for (k = count - 1; k > 0 && combgpu__leg(search, i, j) <
                                             combgpu__leg(search, i, search->near[i][k - 1]);
                 k--)
                search->near[i][k] = search->near[i][k - 1];
            search->near[i][k] = j;
        }
    }
}

COMBGPU__PRIVATE void combgpu__tour_set(combgpu__tour_search *search, const int *tour)
{
    int i;
    for (i = 0; i < search->cities; i++)
        combgpu__tour_place(search, i, tour[i]);
}

/* Iterated local search (2-opt and or-3opt, local double bridges), from the nearest neighbour tour
   or the caller's, whichever is shorter. Its result is nearly always optimal up to 100 cities, in
   20 ms. `search` has costs; on return its tour is the best one found. */
COMBGPU__PRIVATE void combgpu__tour_find(combgpu__tour_search *search, int first, const int *start)
{
    int n = search->cities, kicks = 30 * n, i;
    int best[COMBGPU__BRANCH_CITIES];
    int64_t cost;
    combgpu__tour_neighbours(search);
    combgpu__tour_nearest(search, first);
    if (start) {
        memcpy(best, search->tour, sizeof best);
        cost = combgpu__tour_cost(search);
        combgpu__tour_set(search, start);
        if (combgpu__tour_cost(search) > cost) combgpu__tour_set(search, best);
    }
    if (n == 3) { /* there are two tours */
        cost = combgpu__tour_cost(search);
        combgpu__tour_swap(search, search->tour[1], search->tour[1], search->tour[2],
                           search->tour[2]);
        if (combgpu__tour_cost(search) > cost)
            combgpu__tour_swap(search, search->tour[1], search->tour[1], search->tour[2],
                               search->tour[2]);
    }
    if (n < 4) return;
    for (i = 0; i < n; i++)
        combgpu__tour_queue(search, search->tour[i]);
    combgpu__tour_improve(search);
    cost = combgpu__tour_cost(search);
    memcpy(best, search->tour, sizeof best);
    for (; kicks; kicks--) {
        int64_t now;
        combgpu__tour_kick(search);
        combgpu__tour_improve(search);
        now = combgpu__tour_cost(search);
        if (now <= cost) {
            cost = now;
            memcpy(best, search->tour, sizeof best);
        } else
            combgpu__tour_set(search, best);
    }
}

/* ---- the graph */

COMBGPU__PRIVATE void combgpu__branch_release(combgpu_context *ctx, combgpu__branch_graph *graph)
{
    combgpu__release(ctx, graph->costs);
    combgpu__release(ctx, graph->ends);
    combgpu__release(ctx, graph->weights);
    combgpu__release(ctx, graph->marks);
    combgpu__release(ctx, graph->incident);
}

/* Is it the arc that every tour takes? Without direction, either way. */
COMBGPU__PRIVATE int combgpu__branch_forced(const combgpu__branch_graph *graph, int from, int to)
{
    return graph->forced_from >= 0 &&
           ((from == graph->forced_from && to == graph->forced_to) ||
            (!graph->directed && to == graph->forced_from && from == graph->forced_to));
}

/* Sets the unit and the grain. Integers whose tours stay below 2^53: exact, a power of 2 of units
   in 1, and tours differ by multiples of the weights' common divisor. Else the longest tour gets
   2^50 units, and a tour must be better by 2^6 to count: that is the tolerance of the proof. */
COMBGPU__PRIVATE void combgpu__branch_units(combgpu__branch_graph *graph, double largest,
                                            int integral, uint64_t divisor)
{
    double longest = largest * graph->cities;
    int bits = COMBGPU__BRANCH_FINEST;
    graph->integral = integral && longest <= 9007199254740992.0;
    if (graph->integral) {
        while (bits && ldexp(longest, bits) > 1125899906842624.0)
            bits--;
        graph->scale = bits;
        graph->grain = graph->divisor = (int64_t)(divisor ? divisor : 1) << bits;
    } else {
        (void)frexp(longest, &bits);
        graph->scale = 50 - bits;
        graph->grain = 64;
    }
}

/* Costs between cities, with the depot or the closing arc that makes a path a cycle. A weight above
   kind->largest becomes one that no tour of that length has. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_costs(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph,
                                                      const combgpu_tsp_desc *desc,
                                                      const combgpu__tsp_weights *kind)
{
    const double *weights = desc->instance->weights;
    int path = desc->shape == COMBGPU_TSP_PATH, path_start = desc->path_start;
    int path_end = desc->path_end, both = path_start && path_end;
    int n = desc->instance->n, cities, i, j;
    uint64_t divisor = 0;
    int64_t beyond;
    size_t bytes = (size_t)(n + 1) * (size_t)(n + 1) * sizeof(int64_t);
    if (path_start == path_end) both = path_end = 0; /* one city */
    graph->depot = path && !both ? n : -1;
    graph->cities = cities = n + (path && !both);
    graph->directed = !kind->symmetric || cities < 4; /* few: the two ways round are looked at */
    graph->forced_from = !path ? -1 : both || !path_start ? path_end - 1 : n;
    graph->forced_to = !path ? -1 : path_start ? path_start - 1 : path_end ? n : -1;
    for (i = 0; kind->integral && i < n; i++)
        for (j = 0; j < n; j++) {
            double weight = weights[i * n + j];
            uint64_t a = i == j || weight > kind->largest ? 0 : (uint64_t)weight, rest;
            for (; a; a = rest) { /* Euclid */
                rest = divisor % a;
                divisor = a;
            }
        }
    combgpu__branch_units(graph, kind->largest, kind->integral, divisor);
    beyond = combgpu__tsp_cost(kind->largest, graph->scale) + 3 * graph->grain;
    if (!graph->costs) graph->costs = (int64_t *)combgpu__allocate_zeroed(ctx, bytes);
    if (!graph->costs) return combgpu__no_memory(ctx, bytes);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (i != j && !(both && i == path_end - 1 && j == path_start - 1) &&
                !(both && !graph->directed && j == path_end - 1 && i == path_start - 1))
                graph->costs[i * cities + j] =
                    weights[i * n + j] > kind->largest
                        ? beyond
                        : combgpu__tsp_cost(weights[i * n + j], graph->scale);
    return COMBGPU_OK;
}

/* Adds `sign` times what the multipliers make of them to the costs: all tours change alike, but
   near neighbours are then those that the bound, too, takes for near. A forced arc gets a reward
   that keeps it in the tour. */
COMBGPU__PRIVATE void combgpu__branch_bend_costs(combgpu__branch_graph *graph, int sign)
{
    int n = graph->cities, from = graph->forced_from, to = graph->forced_to, i, j;
    int64_t reward = (int64_t)1 << 56;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (i != j)
                graph->costs[i * n + j] += sign * (graph->multipliers[graph->directed ? i + n : i] +
                                                   graph->multipliers[j]);
    if (from < 0) return;
    graph->costs[from * n + to] -= sign * reward;
    if (!graph->directed) graph->costs[to * n + from] -= sign * reward;
}

/* Finds a tour, and keeps it if it is better than what is known (length 0 or more). Begins with
   `start`, of the cities without the depot, if it is not NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_start(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph,
                                                      const int *start, uint64_t seed)
{
    combgpu__tour_search *search =
        (combgpu__tour_search *)combgpu__allocate_zeroed(ctx, sizeof *search);
    int own[COMBGPU__BRANCH_CITIES]; /* `start` with the depot after its end */
    int i;
    if (!search) return combgpu__no_memory(ctx, sizeof *search);
    search->cities = graph->cities;
    search->symmetric = !graph->directed;
    search->costs = graph->costs;
    search->random = combgpu__mix(seed) | 1;
    for (i = 0; start && i < graph->cities; i++)
        own[i] = i == graph->depot ? i : start[i];
    combgpu__branch_bend_costs(graph, 1);
    combgpu__tour_find(search, graph->forced_from < 0 ? 0 : graph->forced_from, start ? own : NULL);
    combgpu__branch_bend_costs(graph, -1);
    if (graph->length < 0 || combgpu__tour_cost(search) < graph->length) {
        graph->length = combgpu__tour_cost(search);
        memcpy(graph->tour, search->tour, sizeof graph->tour);
    }
    combgpu__release(ctx, search);
    return COMBGPU_OK;
}

/* Where a weight is larger than all of the first tour (often it means that there is no such leg), the
   unit need not be one for tours of such legs: costs and tour with a finer one. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_refine(combgpu_context *ctx,
                                                       combgpu__branch_graph *graph,
                                                       const combgpu_tsp_desc *desc,
                                                       const combgpu__tsp_weights *kind)
{
    combgpu__tsp_weights within = *kind;
    combgpu_status status;
    int n = desc->instance->n, i;
    within.largest = 0;
    for (i = 0; i < graph->cities; i++) {
        int from = graph->tour[i], to = graph->tour[i + 1 == graph->cities ? 0 : i + 1];
        if (from < n && to < n && !combgpu__branch_forced(graph, from, to))
            within.largest += desc->instance->weights[from * n + to];
    }
    if (within.largest >= kind->largest ||
        (graph->integral && graph->scale == COMBGPU__BRANCH_FINEST))
        return COMBGPU_OK;
    status = combgpu__branch_costs(ctx, graph, desc, &within);
    if (status) return status;
    graph->length = combgpu__cycle_cost(graph->costs, graph->cities, graph->tour);
    return combgpu__branch_start(ctx, graph, desc->start, desc->seed);
}

/* Cities that can change places without changing any tour's length, such as points that coincide:
   group[] gets the first of each group, place[] the place within it. Whoever visits them can visit
   them in the order of their numbers, counted from a city outside all groups, which is returned.
   That city's own group loses it; -1: there are no groups. (Without this p43 takes minutes: 30 of
   its 43 cities are in groups.) */
COMBGPU__PRIVATE int combgpu__branch_twins(const combgpu__branch_graph *graph, int *group,
                                           int *place)
{
    int n = graph->cities, outside = -1, any = 0, a, b, x;
    const int64_t *costs = graph->costs;
    for (a = 0; a < n; a++) {
        group[a] = a;
        place[a] = 0;
    }
    for (a = 0; a < n; a++) {
        int count = 0;
        if (group[a] != a || a == graph->forced_from || a == graph->forced_to) continue;
        for (b = a + 1; b < n; b++) {
            int twins = group[b] == b && b != graph->forced_from && b != graph->forced_to &&
                        costs[a * n + b] == costs[b * n + a];
            for (x = 0; twins && x < n; x++)
                twins =
                    x == a || x == b ||
                    (costs[a * n + x] == costs[b * n + x] && costs[x * n + a] == costs[x * n + b]);
            if (!twins) continue;
            group[b] = a;
            place[b] = ++count;
        }
        any |= count;
        if (!count) outside = a;
    }
    if (!any) return -1;
    if (outside < 0 && graph->forced_from >= 0) outside = graph->forced_from;
    if (outside < 0) { /* the last of the last group */
        for (a = 0; a < n; a++)
            if (group[a] == group[n - 1]) outside = a;
        group[outside] = outside;
        place[outside] = 0;
    }
    return outside;
}

/* May the tour go from a to b, if twins are visited in order? */
COMBGPU__PRIVATE int combgpu__branch_in_order(const combgpu__branch_graph *graph, const int *group,
                                              const int *place, int outside, int a, int b)
{
    int last = 1, c;
    if (a == b) return 0;
    if (outside < 0) return 1;
    if (group[a] == group[b])
        return place[b] == place[a] + 1 || (!graph->directed && place[a] == place[b] + 1);
    if (b == outside) { /* from the last twin, or either end if the tour has no direction */
        for (c = 0; c < graph->cities; c++)
            last &= group[c] != group[a] || place[c] <= place[a];
        return last || (!graph->directed && place[a] == 0);
    }
    if (a == outside)
        return graph->directed ? place[b] == 0
                               : combgpu__branch_in_order(graph, group, place, outside, b, a);
    return 1;
}

COMBGPU__PRIVATE void combgpu__branch_add(combgpu__branch_graph *graph, int u, int v,
                                          int64_t weight, int mark)
{
    graph->ends[2 * graph->edges] = (uint16_t)u;
    graph->ends[2 * graph->edges + 1] = (uint16_t)v;
    graph->weights[graph->edges] = weight;
    graph->marks[graph->edges++] = (unsigned char)mark;
}

/* Puts the edges into a random order, always the same: where costs are equal the smaller number
   wins, and in the order of the nodes that makes stars. */
COMBGPU__PRIVATE void combgpu__branch_shuffle(combgpu__branch_graph *graph)
{
    int i;
    for (i = graph->edges - 1; i > 0; i--) {
        int j = (int)(combgpu__mix((uint64_t)i) % (uint64_t)(i + 1)), k;
        int64_t weight = graph->weights[i];
        unsigned char mark = graph->marks[i];
        graph->weights[i] = graph->weights[j];
        graph->weights[j] = weight;
        graph->marks[i] = graph->marks[j];
        graph->marks[j] = mark;
        for (k = 0; k < 2; k++) {
            uint16_t end = graph->ends[2 * i + k];
            graph->ends[2 * i + k] = graph->ends[2 * j + k];
            graph->ends[2 * j + k] = end;
        }
    }
}

/* Lists the edges at each node. */
COMBGPU__PRIVATE void combgpu__branch_index(combgpu__branch_graph *graph)
{
    int32_t count[COMBGPU__BRANCH_NODES + 1];
    int i;
    memset(count, 0, sizeof count);
    for (i = 0; i < 2 * graph->edges; i++)
        count[graph->ends[i]]++;
    graph->incident_begin[0] = 0;
    for (i = 0; i < graph->nodes; i++) {
        graph->incident_begin[i + 1] = graph->incident_begin[i] + count[i];
        count[i] = graph->incident_begin[i];
    }
    for (i = 0; i < 2 * graph->edges; i++)
        graph->incident[count[graph->ends[i]]++] = i / 2;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_edges(combgpu_context *ctx,
                                                      combgpu__branch_graph *graph)
{
    int n = graph->cities, group[COMBGPU__BRANCH_CITIES], place[COMBGPU__BRANCH_CITIES];
    int outside = combgpu__branch_twins(graph, group, place), a, b;
    size_t most = (size_t)n * (size_t)n;
    graph->ends = (uint16_t *)combgpu__allocate(ctx, most * 2 * sizeof(uint16_t));
    graph->weights = (int64_t *)combgpu__allocate(ctx, most * sizeof(int64_t));
    graph->marks = (unsigned char *)combgpu__allocate(ctx, most);
    graph->incident = (int32_t *)combgpu__allocate(ctx, most * 2 * sizeof(int32_t));
    if (!graph->ends || !graph->weights || !graph->marks || !graph->incident)
        return combgpu__no_memory(ctx, most * 21);
    graph->nodes = graph->directed ? 2 * n : n;
    for (a = 0; graph->directed && a < n; a++)
        combgpu__branch_add(graph, a, a + n, 0, COMBGPU__EDGE_FORCED);
    for (a = 0; a < n; a++)
        for (b = graph->directed ? 0 : a + 1; b < n; b++) {
            int forced = combgpu__branch_forced(graph, a, b);
            if (forced || combgpu__branch_in_order(graph, group, place, outside, a, b))
                combgpu__branch_add(graph, graph->directed ? a + n : a, b, graph->costs[a * n + b],
                                    forced ? COMBGPU__EDGE_FORCED : COMBGPU__EDGE_FREE);
        }
    combgpu__branch_shuffle(graph);
    combgpu__branch_index(graph);
    return COMBGPU_OK;
}

/* Drops the edges that `work` has forbidden, for good, and keeps its other marks. */
COMBGPU__PRIVATE void combgpu__branch_compact(combgpu__branch_graph *graph,
                                              combgpu__branch_work *work)
{
    int edges = graph->edges, i;
    graph->edges = 0;
    for (i = 0; i < edges; i++)
        if (work->marks[i] != COMBGPU__EDGE_FORBIDDEN) {
            work->marks[graph->edges] = work->marks[i];
            combgpu__branch_add(graph, graph->ends[2 * i], graph->ends[2 * i + 1],
                                graph->weights[i], work->marks[i]);
        }
    combgpu__branch_index(graph);
}

/* Where edges have few different weights, as on a lattice, few sums of them can be tours' lengths:
   the grain becomes the least distance between such sums from the bound to the best tour. (Without
   this a lattice of 9 x 9 with distances 100, 141 ... takes minutes: the bound is 8139 and the tour
   8141, but below that only 8100 is a sum.) The work's stack is scratch. */
COMBGPU__PRIVATE void combgpu__branch_coarsen(combgpu__branch_graph *graph,
                                              combgpu__branch_work *work)
{
    unsigned char *possible = (unsigned char *)work->stack; /* 1: this sum, 2: weight looked at */
    size_t room = COMBGPU__BRANCH_STACK * sizeof(uint32_t) *
                  combgpu__branch_task_words(graph->nodes, graph->edges);
    int64_t least = COMBGPU__BRANCH_INFINITE, base = 0, range, gap, last = 0, sum, tries = 1 << 19;
    int count = graph->nodes, i;
    for (i = 0; i < graph->edges; i++)
        if (work->marks[i] == COMBGPU__EDGE_FORCED) {
            base += graph->weights[i];
            count--;
        } else if (work->marks[i] == COMBGPU__EDGE_FREE && graph->weights[i] < least)
            least = graph->weights[i];
    if (!graph->integral || count <= 0 || least == COMBGPU__BRANCH_INFINITE) return;
    base += count * least; /* the shortest sum */
    range = (work->length - base) / graph->divisor;
    if (range < 1 || range >= (int64_t)room) return;
    memset(possible, 0, (size_t)range + 1);
    possible[0] = 1;
    for (i = 0; i < graph->edges; i++) {
        int64_t more = (graph->weights[i] - least) / graph->divisor;
        if (work->marks[i] != COMBGPU__EDGE_FREE || !more || more > range || possible[more] & 2)
            continue;
        possible[more] |= 2;
        tries -= range;
        if (tries < 0) return; /* too many different ones */
        for (sum = more; sum <= range; sum++)
            possible[sum] |= possible[sum - more] & 1;
    }
    possible[range] |= 1; /* the best tour may have edges that no better one has */
    for (gap = range, sum = 1; sum <= range; sum++) {
        if (!(possible[sum] & 1)) continue;
        if (base + sum * graph->divisor > graph->bound && sum - last < gap) gap = sum - last;
        last = sum;
    }
    graph->grain = gap * graph->divisor;
}

/* The root: ascent and fixing in turn while the bound rises. Returns whether tours of interest may
   be left. */
COMBGPU__PRIVATE int combgpu__branch_root_ascent(combgpu__branch_graph *graph,
                                                 combgpu__branch_work *work)
{
    int64_t boldness = 2048;
    int round;
    if (!combgpu__branch_restore(work)) return 0;
    for (round = 0; round < 12; round++) {
        int64_t bound, before = graph->bound;
        combgpu__branch_coarsen(graph, work);
        combgpu__branch_arcs(work);
        bound = combgpu__branch_ascend(work, round ? 200 + 4 * graph->nodes : 1000,
                                       round ? 60 : 100, boldness);
        if (bound > graph->bound) graph->bound = bound;
        if (bound > combgpu__branch_threshold(work)) return 0;
        bound = combgpu__branch_one_tree(work, work->multipliers);
        if (!combgpu__branch_reduce(work, bound)) return 0;
        combgpu__branch_compact(graph, work);
        combgpu__branch_restore(work);
        if (round > 1 && graph->bound - before <= (work->length - bound) / 200) break;
        boldness = boldness * 6 / 10;
    }
    return 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_root(combgpu_context *ctx,
                                                     combgpu__branch_graph *graph)
{
    size_t bytes = combgpu__branch_work_bytes(graph->nodes, graph->edges);
    void *memory = combgpu__allocate(ctx, bytes);
    combgpu__branch_work *work;
    int open;
    if (!memory) return combgpu__no_memory(ctx, bytes);
    work = combgpu__branch_work_at(memory, graph);
    work->length = graph->length;
    memcpy(work->marks, graph->marks, (size_t)graph->edges);
    open = graph->cities > 3 && combgpu__branch_root_ascent(graph, work);
    memcpy(graph->multipliers, work->multipliers, sizeof graph->multipliers);
    if (work->found) {
        graph->length = work->length;
        memcpy(graph->tour, work->tour, sizeof graph->tour);
    }
    if (!open) graph->bound = graph->length;
    graph->open = open;
    combgpu__release(ctx, memory);
    return COMBGPU_OK;
}

/* ---- the search tree */

/* Bounds the node of the search tree that `work` holds, and fixes what follows. Returns 0 if no
   tour of interest is left within, else the 1-tree at hand is that of work->multipliers. 20 steps
   for a node and a patience of 3 were the best of 5 to 45 and 2 to 10 on six TSPLIB instances, by
   little. */
COMBGPU__PRIVATE int combgpu__branch_evaluate(combgpu__branch_work *work, int64_t *bound)
{
    int steps = 20, round;
    for (round = 0;; round++) {
        int before = work->fixed;
        int64_t found;
        combgpu__branch_arcs(work);
        found = combgpu__branch_ascend(work, steps, 3, round ? 512 : 1024);
        if (found > *bound) *bound = found;
        if (*bound > combgpu__branch_threshold(work)) return 0;
        found = combgpu__branch_one_tree(work, work->multipliers);
        if (!combgpu__branch_reduce(work, found)) return 0;
        if (work->fixed == before) return 1;
        if (round && work->fixed - before < 3) break;
        steps = steps * 2 / 3 + 3;
    }
    combgpu__branch_arcs(work);
    return combgpu__branch_one_tree(work, work->multipliers) <= combgpu__branch_threshold(work);
}

COMBGPU__PRIVATE void combgpu__branch_pack(const combgpu__branch_graph *graph, int64_t bound,
                                           uint64_t share, const int64_t *multipliers,
                                           const unsigned char *marks, uint32_t *task)
{
    int i;
    combgpu__put64(task, (uint64_t)bound);
    combgpu__put64(task + 2, share);
    task += 4;
    for (i = 0; i < graph->nodes; i++, task += 2)
        combgpu__put64(task, (uint64_t)multipliers[i]);
    memset(task, 0, ((size_t)graph->edges + 15) / 16 * sizeof(uint32_t));
    for (i = 0; i < graph->edges; i++)
        task[i / 16] |= (uint32_t)marks[i] << i % 16 * 2;
}

COMBGPU__PRIVATE void combgpu__branch_unpack(combgpu__branch_work *work, const uint32_t *task)
{
    const combgpu__branch_graph *graph = work->graph;
    int i;
    task += 4;
    for (i = 0; i < graph->nodes; i++, task += 2)
        work->multipliers[i] = (int64_t)combgpu__get64(task);
    for (i = 0; i < graph->edges; i++)
        work->marks[i] = (unsigned char)(task[i / 16] >> i % 16 * 2 & 3);
}

COMBGPU__PRIVATE uint32_t *combgpu__branch_top(combgpu__branch_work *work)
{
    return work->stack + (size_t)work->stack_count *
                             combgpu__branch_task_words(work->graph->nodes, work->graph->edges);
}

/* Where to branch: of the 1-tree's nodes of degree 3 or more the one with the fewest free edges; its
   two dearest free edges in the tree are edges[]. Returns the node, or -1: it is a tour. Measured on
   ten instances of 48 to 100 cities: the node with the most forced edges and the cheapest edges made
   1.5 to 4 times as many 1-trees, estimates of the children's bounds from replacement costs 2 to 5
   times as many; trying the children out cost as much as it saved. */
COMBGPU__PRIVATE int combgpu__branch_choose(const combgpu__branch_work *work, int edges[2])
{
    int64_t costs[2] = {-COMBGPU__BRANCH_INFINITE, -COMBGPU__BRANCH_INFINITE};
    int chosen = -1, fewest = INT_MAX, i;
    for (i = 0; i < work->outer_count; i++) {
        int node = work->outer[i], open = work->open_degree[node] - work->forced_degree[node];
        if (work->degree[node] < 3 || open >= fewest) continue;
        chosen = node;
        fewest = open;
    }
    edges[0] = edges[1] = -1;
    if (chosen < 0) return chosen;
    for (i = work->arc_begin[chosen]; i < work->arc_begin[chosen + 1]; i++) {
        const combgpu__branch_arc *arc = work->arcs + i;
        int64_t cost = arc->weight + work->multipliers[arc->to];
        if (!combgpu__branch_in_tree(work, arc->edge)) continue;
        if (cost > costs[0]) {
            costs[1] = costs[0];
            edges[1] = edges[0];
            costs[0] = cost;
            edges[0] = arc->edge;
        } else if (cost > costs[1]) {
            costs[1] = cost;
            edges[1] = arc->edge;
        }
    }
    return chosen;
}

/* Pushes the children: without the first edge; with it, without the second; with both (or, where an
   edge is forced already, without and with the first). The last is explored first. */
COMBGPU__PRIVATE void combgpu__branch_children(combgpu__branch_work *work, int node,
                                               const int edges[2], int64_t bound, uint64_t share)
{
    int children = work->forced_degree[node] ? 2 : 3, i;
    for (i = 0; i < children; i++) {
        work->marks[edges[0]] = i ? COMBGPU__EDGE_FORCED : COMBGPU__EDGE_FORBIDDEN;
        if (i && children == 3)
            work->marks[edges[1]] = i == 1 ? COMBGPU__EDGE_FORBIDDEN : COMBGPU__EDGE_FORCED;
        combgpu__branch_pack(work->graph, bound,
                             share / (uint64_t)children + (i ? 0 : share % (uint64_t)children),
                             work->multipliers, work->marks, combgpu__branch_top(work));
        work->stack_count++;
    }
}

/* A tour found: tells the other workers and emits it as a record. Returns 0 if the buffer is full.
 */
COMBGPU__PRIVATE int combgpu__branch_publish(combgpu__worker *worker, combgpu__branch_work *work,
                                             combgpu__branch_graph *shared)
{
    uint32_t record[2 + COMBGPU__BRANCH_CITIES];
    int i, fine = 1;
    combgpu__put64(record, (uint64_t)work->length);
    for (i = 0; i < shared->cities; i++)
        record[2 + i] = (uint32_t)work->tour[i];
    work->found = 0;
#ifdef _OPENMP
#pragma omp critical(combgpu__branch_best)
#endif
    if (work->length < shared->length) {
        fine = combgpu__emit(worker, record);
        if (fine) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
            shared->length = work->length;
        }
    }
    return fine;
}

/* One node of the search tree: the top of the stack. */
COMBGPU__PRIVATE void combgpu__branch_node(combgpu__worker *worker, combgpu__branch_work *work,
                                           combgpu__branch_graph *shared)
{
    const uint32_t *task;
    int64_t bound, length;
    uint64_t share;
    int open, node = -1, edges[2];
    work->stack_count--;
    task = combgpu__branch_top(work);
    bound = (int64_t)combgpu__get64(task);
    share = combgpu__get64(task + 2);
#ifdef _OPENMP
#pragma omp atomic read
#endif
    length = shared->length;
    work->length = length;
    if (bound <= combgpu__branch_threshold(work)) {
        combgpu__branch_unpack(work, task);
        work->trees = 0;
        open = combgpu__branch_restore(work) && combgpu__branch_evaluate(work, &bound);
        if (open) node = combgpu__branch_choose(work, edges);
        if (open && node < 0) combgpu__branch_tour(work);
        if (work->found && !combgpu__branch_publish(worker, work, shared)) {
            work->stack_count++; /* not told: find it again */
            return;
        }
        worker->totals[0] += work->trees;
        worker->totals[1]++;
        if (node >= 0) {
            combgpu__branch_children(work, node, edges, bound, share);
            return;
        }
    }
    worker->totals[2] += share;
}

/* A running branch and bound. */
typedef struct combgpu__branch_state {
    combgpu__branch_graph graph;
    combgpu_tsp_shape shape;
    int n, symmetric, path_start; /* path_start: as in the description */
    int scale;                    /* of exact lengths: combgpu__tsp_cost */
    double *weights;              /* the instance's, for them */
    uint64_t host_trees;          /* after so many, a GPU goes on */
} combgpu__branch_state;

/* The C solver. Its slices run on the CPU alone, whatever the context's backend. */
COMBGPU__PRIVATE void combgpu__branch_solve(combgpu__worker *worker)
{
    combgpu__branch_graph *shared = &((combgpu__branch_state *)worker->job->state)->graph;
    size_t bytes = worker->job->cpu_work_bytes_per_worker, words = worker->slice->task_words;
    int room = worker->job->kernel.left_per_worker;
    combgpu__branch_work *work;
    if (worker->slice->task_count == 0) return;
    work = combgpu__branch_work_at((char *)worker->work + worker->index * bytes, shared);
    for (;;) {
        if (!work->stack_count) {
            const uint32_t *task = combgpu__take(worker);
            if (!task) break;
            memcpy(work->stack, task, words * sizeof(uint32_t));
            work->stack_count = 1;
        }
        if (combgpu__spent(worker) || work->stack_count + 3 > room) break;
        combgpu__branch_node(worker, work, shared);
    }
    while (work->stack_count) { /* the deepest first: they come first in the next slice */
        work->stack_count--;
        combgpu__give(worker, combgpu__branch_top(work));
    }
}

/* ---- the job */

/* In job->sums after the totals: the best tour's length in units, and its cities, eight to a word.
 */
#define COMBGPU__BRANCH_SUM_LENGTH COMBGPU__TOTALS
#define COMBGPU__BRANCH_SUM_TOUR (COMBGPU__TOTALS + 1)

COMBGPU__PRIVATE void combgpu__branch_remember(combgpu_job *job, int64_t length,
                                               const uint32_t *tour)
{
    combgpu__branch_state *state = (combgpu__branch_state *)job->state;
    uint64_t *words = job->sums + COMBGPU__BRANCH_SUM_TOUR;
    int cities = state->graph.cities, i;
    job->sums[COMBGPU__BRANCH_SUM_LENGTH] = (uint64_t)length;
    memset(words, 0, (COMBGPU__BRANCH_CITIES + 7) / 8 * sizeof *words);
    for (i = 0; i < cities; i++)
        words[i / 8] |= (uint64_t)tour[i] << i % 8 * 8;
}

COMBGPU__PRIVATE int combgpu__branch_remembered(const combgpu_job *job, int i)
{
    return (int)(job->sums[COMBGPU__BRANCH_SUM_TOUR + i / 8] >> i % 8 * 8 & 255);
}

/* Is it a tour of the graph's cities, with the forced arc, of this length? */
COMBGPU__PRIVATE int combgpu__branch_valid(const combgpu__branch_graph *graph, const uint32_t *tour,
                                           int64_t length)
{
    unsigned char seen[COMBGPU__BRANCH_CITIES];
    int i, forced = graph->forced_from < 0;
    memset(seen, 0, sizeof seen);
    for (i = 0; i < graph->cities; i++) {
        if (tour[i] >= (uint32_t)graph->cities || seen[tour[i]]) return 0;
        seen[tour[i]] = 1;
    }
    for (i = 0; i < graph->cities; i++) {
        int from = (int)tour[i], to = (int)tour[i + 1 == graph->cities ? 0 : i + 1];
        forced |= combgpu__branch_forced(graph, from, to);
    }
    return forced && combgpu__cycle_cost(graph->costs, graph->cities, (const int *)tour) == length;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_frontier(combgpu_job *job)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    uint32_t *task;
    combgpu_status status;
    combgpu__branch_remember(job, graph->length, (const uint32_t *)graph->tour);
    if (!graph->open) return COMBGPU_OK;
    task = (uint32_t *)combgpu__allocate(job->ctx, job->task_words * sizeof(uint32_t));
    if (!task) return combgpu__no_memory(job->ctx, job->task_words * sizeof(uint32_t));
    combgpu__branch_pack(graph, graph->bound, (uint64_t)1 << 62, graph->multipliers, graph->marks,
                         task);
    status = combgpu__push(job, task);
    combgpu__release(job->ctx, task);
    return status;
}

/* On the host, and on a device with up to 128 nodes and with more. */
#define COMBGPU__BRANCH_NARROW 128
#define COMBGPU__BRANCH_DEVICE_STACK 64 /* BRANCH_STACK in combgpu_kernels.cl */
static const combgpu__kernel combgpu__branch_kernel = {
    NULL, NULL, combgpu__branch_solve, 1, 1, COMBGPU__BRANCH_STACK, 4096, NULL, NULL};
static const combgpu__kernel combgpu__branch_kernels[2] = {
    {"combgpu_tsp_branch", "BRANCH", combgpu__branch_solve, 32, 32, COMBGPU__BRANCH_DEVICE_STACK,
     256, NULL, NULL},
    {"combgpu_tsp_branch_wide", "BRANCH", combgpu__branch_solve, 32, 32,
     COMBGPU__BRANCH_DEVICE_STACK, 256, NULL, NULL}};

/* A better tour. Device workers learn of it before the next slice. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    int64_t length = (int64_t)combgpu__get64(record);
    combgpu_status status = COMBGPU_OK;
    int i;
    if (length >= (int64_t)job->sums[COMBGPU__BRANCH_SUM_LENGTH]) return COMBGPU_RUNNING;
    if (!combgpu__branch_valid(graph, record + 2, length))
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s gave back a tour that does not exist",
                             job->kernel.name ? job->kernel.name : "branch and bound");
    combgpu__branch_remember(job, length, record + 2);
    if (length < graph->length) graph->length = length;
    if (job->tables) memcpy(job->tables + 6, record, 2 * sizeof(uint32_t));
    for (i = 0; i < job->share_count && !status && job->tables; i++)
        if (!job->shares[i].lost)
            status = job->shares[i].backend->upload(
                job->shares[i].ctx, &job->shares[i].memory[COMBGPU__TABLES], 6 * sizeof(uint32_t),
                record, 2 * sizeof(uint32_t));
    return status ? status : COMBGPU_RUNNING;
}

/* What a device needs: its workers' memory, and the graph: nodes, edges, cities, directed, grain, the
   best length; for each edge its ends; for each node where its edges begin; these; for each edge its
   weight. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_device(combgpu_job *job)
{
    const combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    size_t edges = (size_t)graph->edges, nodes = (size_t)graph->nodes, i;
    size_t weights = (8 + 3 * edges + nodes + 2) / 2 * 2;
    combgpu_status status = combgpu__job_tables(job, weights + 2 * edges);
    uint32_t *at = job->tables;
    job->work_bytes_per_worker = (2 * nodes + 2 * edges + (edges + 7) / 8 * 2 +
                                  COMBGPU__BRANCH_DEVICE_STACK * job->task_words + 1) /
                                 2 * 2 * sizeof(uint32_t);
    if (status) return status;
    at[0] = (uint32_t)nodes;
    at[1] = (uint32_t)edges;
    at[2] = (uint32_t)graph->cities;
    at[3] = (uint32_t)graph->directed;
    combgpu__put64(at + 4, (uint64_t)graph->grain);
    combgpu__put64(at + 6, (uint64_t)graph->length);
    for (i = 0; i < edges; i++) {
        at[8 + i] = graph->ends[2 * i] | (uint32_t)graph->ends[2 * i + 1] << 16;
        combgpu__put64(at + weights + 2 * i, (uint64_t)graph->weights[i]);
    }
    for (i = 0; i <= nodes; i++)
        at[8 + edges + i] = (uint32_t)graph->incident_begin[i];
    for (i = 0; i < 2 * edges; i++)
        at[9 + edges + nodes + i] = (uint32_t)graph->incident[i];
    return COMBGPU_OK;
}

/* Every tree begins on the host's threads, and most end there: a device's thousands of workers need
   many open nodes, and milliseconds to start. A tree that is larger goes on on the device. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_slice_done(combgpu_job *job,
                                                           const combgpu__share *share)
{
    const combgpu__branch_state *state = (const combgpu__branch_state *)job->state;
    (void)share;
    if (!job->moved && job->tables && job->sums[0] - job->steps_at_start >= state->host_trees)
        job->next_kernel = &combgpu__branch_kernels[state->graph.nodes > COMBGPU__BRANCH_NARROW];
    return COMBGPU_OK;
}

COMBGPU__PRIVATE double combgpu__branch_fraction(const combgpu_job *job)
{
    return ldexp((double)job->sums[2], -62);
}

COMBGPU__PRIVATE int combgpu__branch_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    int i;
    if (combgpu__get64(task + 2) > (uint64_t)1 << 62) return 0;
    for (i = 0; i < graph->nodes; i++) {
        int64_t multiplier = (int64_t)combgpu__get64(task + 4 + 2 * i);
        if (multiplier > COMBGPU__BRANCH_MULTIPLIER || multiplier < -COMBGPU__BRANCH_MULTIPLIER)
            return 0;
    }
    for (i = 0; i < graph->edges; i++)
        if ((task[4 + 2 * graph->nodes + i / 16] >> i % 16 * 2 & 3) == 3) return 0;
    return 1;
}

COMBGPU__PRIVATE int combgpu__branch_adopt_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__branch_valid(&((combgpu__branch_state *)job->state)->graph, record + 2,
                                 (int64_t)combgpu__get64(record));
}

COMBGPU__PRIVATE void combgpu__branch_problem_release(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)job->state;
    combgpu__release(job->ctx, state->weights);
    combgpu__branch_release(job->ctx, &state->graph);
}

static const combgpu__problem combgpu__branch_problem = {
    "tsp branch and bound",     combgpu__branch_frontier,     combgpu__branch_record,
    combgpu__branch_slice_done, combgpu__branch_fraction,     NULL,
    combgpu__branch_adopt_task, combgpu__branch_adopt_record, combgpu__branch_problem_release};

COMBGPU__PRIVATE int combgpu__branch_is(const combgpu_job *job)
{
    return job->problem == &combgpu__branch_problem;
}

/* After a resume: the best tour so far, checked. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_resume(combgpu_job *job)
{
    combgpu__branch_graph *graph = &((combgpu__branch_state *)job->state)->graph;
    uint32_t tour[COMBGPU__BRANCH_CITIES];
    int64_t length = (int64_t)job->sums[COMBGPU__BRANCH_SUM_LENGTH];
    size_t i;
    for (i = 0; i < (size_t)graph->cities; i++)
        tour[i] = (uint32_t)combgpu__branch_remembered(job, (int)i);
    if (!combgpu__branch_valid(graph, tour, length))
        return combgpu__fail(job->ctx, COMBGPU_BAD_FILE,
                             "the checkpoint's tour is no tour of this instance");
    for (i = job->pending_next; i < job->pending_count; i++) { /* records not delivered yet */
        int64_t other = (int64_t)combgpu__get64(job->pending + i * job->record_words);
        if (other < length) length = other;
    }
    graph->length = length;
    if (job->tables) combgpu__put64(job->tables + 6, (uint64_t)length);
    return COMBGPU_OK;
}

/* The least bound of the open nodes, in units; the length if there are none. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_lower_bound(combgpu_job *job, int64_t *bound)
{
    combgpu_status status = combgpu__gather(job);
    size_t i;
    *bound = (int64_t)job->sums[COMBGPU__BRANCH_SUM_LENGTH];
    for (i = 0; !status && i < job->reserve_count; i++) {
        const uint32_t *task = job->reserve + i * job->task_words;
        int64_t open = (int64_t)combgpu__get64(task);
        if (open < *bound) *bound = open;
    }
    return status;
}

/* ---- begin */

/* Names the graph, its root and the tour that it began with: what tasks depend on. */
COMBGPU__PRIVATE uint64_t combgpu__branch_hash(const combgpu__branch_graph *graph)
{
    uint64_t hash = combgpu__mix((uint64_t)graph->edges);
    int i;
    for (i = 0; i < graph->cities; i++)
        hash = combgpu__mix(hash + (uint64_t)graph->tour[i]);
    for (i = 0; i < graph->cities * graph->cities; i++)
        hash = combgpu__mix(hash + (uint64_t)graph->costs[i]);
    for (i = 0; i < graph->edges; i++)
        hash = combgpu__mix(hash + graph->ends[2 * i] + (uint64_t)graph->ends[2 * i + 1] * 65536);
    return hash;
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_check(combgpu_context *ctx,
                                                      const combgpu_tsp_desc *desc)
{
    int n = desc->instance->n;
    combgpu_status status;
    if (n > COMBGPU_TSP_MAX_TOUR)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "instance.n is %d; branch and bound takes at most %d cities", n,
                             COMBGPU_TSP_MAX_TOUR);
    if (desc->run.shard_count > 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "run.shard_count is %d; branch and bound cannot be split into shards: "
                             "it may be 0 or 1",
                             desc->run.shard_count);
    if (!desc->start) return COMBGPU_OK;
    status = combgpu__tsp_check_tour(ctx, "start", n, desc->start);
    if (status) return status;
    if (desc->path_start && desc->start[0] != desc->path_start - 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "start[0] is %d; with path_start %d it must be %d", desc->start[0],
                             desc->path_start, desc->path_start - 1);
    if (desc->path_end && desc->start[n - 1] != desc->path_end - 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "start[%d] is %d; with path_end %d it must be %d", n - 1,
                             desc->start[n - 1], desc->path_end, desc->path_end - 1);
    return COMBGPU_OK;
}

/* Everything up to the root, and what the engine wants to know. */
COMBGPU__PRIVATE combgpu_status combgpu__branch_setup(combgpu_job *job,
                                                      const combgpu_tsp_desc *desc)
{
    combgpu__branch_state *state = (combgpu__branch_state *)job->state;
    combgpu__branch_graph *graph = &state->graph;
    int n = desc->instance->n;
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    combgpu__tsp_weights kind;
    combgpu_status status = combgpu__tsp_check_weights(job->ctx, desc->instance, &kind);
    if (status) return status;
    state->shape = desc->shape;
    state->n = n;
    state->path_start = desc->path_start;
    state->symmetric = kind.symmetric;
    state->scale = kind.scale;
    state->weights = (double *)combgpu__allocate(job->ctx, bytes);
    if (!state->weights) return combgpu__no_memory(job->ctx, bytes);
    memcpy(state->weights, desc->instance->weights, bytes);
    status = combgpu__branch_costs(job->ctx, graph, desc, &kind);
    graph->length = -1;
    if (!status) status = combgpu__branch_start(job->ctx, graph, desc->start, desc->seed);
    if (!status) status = combgpu__branch_refine(job->ctx, graph, desc, &kind);
    if (!status) status = combgpu__branch_edges(job->ctx, graph);
    if (!status) status = combgpu__branch_root(job->ctx, graph);
    if (!status && graph->open) status = combgpu__branch_start(job->ctx, graph, NULL, desc->seed);
    if (status) return status;
    job->kernel = combgpu__branch_kernel;
    job->unsteady = 1;
    job->task_words = (uint32_t)combgpu__branch_task_words(graph->nodes, graph->edges);
    job->record_words = 2 + (uint32_t)graph->cities;
    job->record_capacity = 32;
    job->cpu_work_bytes_per_worker = combgpu__branch_work_bytes(graph->nodes, graph->edges);
    if (job->ctx->backend->id != COMBGPU_BACKEND_CPU || job->ctx->other_count)
        status = combgpu__branch_device(job);
    if (status) return status;
    state->host_trees = UINT64_C(50000) * (uint64_t)combgpu__cpu_threads();
    snprintf(job->parameters, sizeof job->parameters,
             "method %d shape %d n %d ends %d %d graph %016llx", (int)COMBGPU_TSP_BRANCH_AND_BOUND,
             (int)desc->shape, n, desc->path_start, desc->path_end,
             (unsigned long long)combgpu__branch_hash(graph));
    return COMBGPU_OK;
}

/* AUTO: is Held-Karp faster? Where the bound is far off the tree is large: 20 cities of HardTSPLIB
   take 0.3 s, 25 take 4 s, against 0.05 s and 4 s of one core. */
COMBGPU__PRIVATE int combgpu__branch_prefers_table(const combgpu_job *job,
                                                   const combgpu_tsp_desc *desc)
{
    const combgpu_context *ctx = job->ctx;
    const combgpu__branch_state *state = (const combgpu__branch_state *)job->state;
    const combgpu__branch_graph *graph = &state->graph;
    int most = ctx->backend->id == COMBGPU_BACKEND_CPU ? 26 : COMBGPU__TSP_MOST;
    int m = state->n - (!desc->shape || desc->path_start) - (desc->path_end > 0);
    if (!graph->open || graph->length - graph->bound < graph->length / 12) return 0;
    return m < most && combgpu__tsp_table_bytes(m, combgpu__tsp_low(ctx), 1) <=
                           (double)combgpu__tsp_table_limit(ctx);
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_begin(combgpu_context *ctx,
                                                      const combgpu_tsp_desc *desc,
                                                      combgpu_job **out)
{
    combgpu_job *job;
    combgpu_status status = combgpu__job_create(ctx, &combgpu__branch_problem,
                                                sizeof(combgpu__branch_state), &desc->run, &job);
    if (status) return status;
    status = combgpu__tsp_check_desc(ctx, desc);
    if (!status) status = combgpu__branch_check(ctx, desc);
    if (!status) status = combgpu__branch_setup(job, desc);
    if (!status && desc->method == COMBGPU_TSP_AUTO && combgpu__branch_prefers_table(job, desc))
        status = COMBGPU_RUNNING;
    if (!status) status = combgpu__job_start(job);
    if (!status) status = combgpu__branch_resume(job);
    return combgpu__job_begun(job, status, out);
}

/* ---- end */

/* The best tour in normal form (SECTION 5): without the depot, from the right city on, in the right
   direction. */
COMBGPU__PRIVATE void combgpu__branch_answer(const combgpu_job *job, int *tour)
{
    const combgpu__branch_state *state = (const combgpu__branch_state *)job->state;
    const combgpu__branch_graph *graph = &state->graph;
    int n = state->n, path = state->shape == COMBGPU_TSP_PATH, start = 0, turn, i;
    int closing = graph->depot < 0 && path; /* both ends are fixed, an arc leads back */
    for (i = 0; i < graph->cities; i++) {
        int city = combgpu__branch_remembered(job, i);
        if (city == (graph->depot >= 0 ? graph->depot : closing ? graph->forced_to : 0)) start = i;
    }
    if (graph->depot >= 0) start++;
    for (i = 0; i < n; i++)
        tour[i] = combgpu__branch_remembered(job, (start + i) % graph->cities);
    turn = closing                  ? tour[1] == graph->forced_from
           : !path                  ? state->symmetric && n > 1 && tour[1] > tour[n - 1]
           : graph->forced_from < 0 ? state->symmetric && tour[0] > tour[n - 1]
           : state->path_start      ? tour[0] != state->path_start - 1
                                    : tour[n - 1] != graph->forced_from;
    if (turn) /* if directed, only what may be read either way */
        combgpu__tsp_reverse(tour + (!path || closing), tour + n - 1);
}

COMBGPU__PRIVATE combgpu_status combgpu__branch_end(combgpu_job *job, combgpu_tsp_result *result)
{
    const combgpu__branch_state *state = (const combgpu__branch_state *)job->state;
    const combgpu__branch_graph *graph = &state->graph;
    combgpu_status status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    int64_t bound = 0, exact = 0;
    int n = state->n, closed = state->shape == COMBGPU_TSP_CYCLE && n > 1, i;
    if (!result && status >= 0)
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "result is NULL");
    if (result) memset(result, 0, sizeof *result);
    if (status >= 0) {
        combgpu_status read = combgpu__branch_lower_bound(job, &bound);
        if (read) status = read;
    }
    if (status >= 0) {
        combgpu__branch_answer(job, result->tour);
        for (i = 1; i < n + closed; i++)
            exact += combgpu__tsp_cost(
                state->weights[result->tour[i - 1] * n + result->tour[i % n]], state->scale);
        result->length = ldexp((double)exact, -state->scale);
        result->optimal = status == COMBGPU_OK;
        if (result->optimal)
            result->lower_bound = result->length;
        else if (graph->integral) /* whole numbers: the next multiple */
            result->lower_bound =
                ldexp((double)((bound + graph->divisor - 1) / graph->divisor * graph->divisor),
                      -graph->scale);
        else /* weights were rounded by half a unit each */
            result->lower_bound = ldexp((double)(bound - graph->cities), -graph->scale);
        if (result->lower_bound > result->length) result->lower_bound = result->length;
        if (result->lower_bound < 0) result->lower_bound = 0;
        result->method = COMBGPU_TSP_BRANCH_AND_BOUND;
        result->shape = state->shape;
        result->n = n;
        combgpu__run_info(job, result->optimal ? combgpu__mix((uint64_t)exact) : 0, &result->run);
    }
    combgpu_job_cancel(job);
    return status;
}

/* (end of SECTION 51) */

/* ==================================================== SECTION 52: travelling salesman, batches == */
/* Held-Karp for many small instances: f(c, T) = the least cost of going from c through all of the
   set T to the end, in the form of SECTION 50, all of it in a worker's own memory. A task is a range
   of instances; each solved instance is a record {number, cost, order}, 64 bits each, an order with
   4 bits a city. */

#define COMBGPU__BATCH_MOST COMBGPU_TSP_BATCH_DIMENSION /* middle cities */
#define COMBGPU__BATCH_ROW 16                           /* C solver: f(0 .. 15, T) */
#define COMBGPU__BATCH_RECORD_WORDS 6
#define COMBGPU__BATCH_SOLVED COMBGPU__TOTALS /* in job->sums */

/* What the solvers and kernels read:

     words 0..7   the most middle cities M, wide, 0 ...
     2 << M       for each m <= M: the subsets of m cities by size, from word 8 + (1 << m) on
     then         each instance: m, first[M], last[M], legs[M * M] (from * M + to), as 32-bit numbers,
                  or all as 64-bit ones if `wide` */
#define COMBGPU__BATCH_HEAD 8

typedef struct combgpu__batch {
    combgpu_tsp_batch_desc desc;
    int most, wide;
    size_t stride;   /* numbers of an instance */
    int16_t *scales; /* the unit of instance k's costs is 2^-scales[k] */
} combgpu__batch;

/* ---- validate */

COMBGPU__PRIVATE combgpu_status combgpu__batch_check(combgpu_context *ctx,
                                                     const combgpu_tsp_batch_desc *desc)
{
    int given = (desc->weights != NULL) + (desc->int_weights != NULL) + (desc->x || desc->y);
    if (desc->count < 1 || desc->count > UINT64_C(4000000000))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "count is %llu; it may be 1 to 4000000000",
                             (unsigned long long)desc->count);
    if (desc->n < 1 || desc->n > COMBGPU_TSP_BATCH_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", desc->n,
                             COMBGPU_TSP_BATCH_DIMENSION);
    if (given != 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%d of weights, int_weights, and x with y are set; it must be one",
                             given);
    if (!desc->x != !desc->y)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc->x ? "y" : "x");
    return desc->x ? combgpu__tsp_check_metric(ctx, desc->metric) : COMBGPU_OK;
}

/* Instance k in the form of SECTION 50. Messages say nothing of k. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_form(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc, uint64_t k,
                                                    combgpu__tsp *tsp)
{
    double weights[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
    size_t n = (size_t)desc->n, at = (size_t)k * n, i, j;
    combgpu_tsp_instance instance;
    combgpu_tsp_desc one;
    combgpu_status status;
    memset(&instance, 0, sizeof instance);
    memset(&one, 0, sizeof one);
    instance.n = desc->cities ? desc->cities[k] : desc->n;
    if (instance.n < 1 || instance.n > desc->n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "cities is %d; it may be 1 to n, %d",
                             instance.n, desc->n);
    instance.weights = weights;
    instance.metric = desc->metric;
    one.instance = &instance;
    one.shape = desc->shape;
    one.path_start = desc->path_start;
    one.path_end = desc->path_end;
    for (i = 0; i < (size_t)instance.n; i++)
        for (j = 0; j < (size_t)instance.n; j++)
            if (!desc->x)
                weights[i * (size_t)instance.n + j] =
                    desc->weights ? desc->weights[(at + i) * n + j]
                                  : (double)desc->int_weights[(at + i) * n + j];
    if (desc->x) {
        status = combgpu__tsp_measure(ctx, instance.n, desc->x + at, desc->y + at, desc->metric,
                                      weights);
        if (status) return status;
    }
    status = combgpu__tsp_check_desc(ctx, &one);
    return status ? status : combgpu__tsp_form(ctx, &one, tsp);
}

/* ---- tables */

/* The subsets of m cities, those of one size after those of the next smaller one. */
COMBGPU__PRIVATE void combgpu__batch_subsets(uint32_t *subsets, int m)
{
    uint32_t place = 0, set;
    int size;
    for (size = 0; size <= m; size++)
        for (set = 0; set >> m == 0; set++)
            if (combgpu__popcount64(set) == size) subsets[place++] = set;
}

/* Nonzero if 32-bit numbers may not do: the caller's numbers as they are, checked or not. */
COMBGPU__PRIVATE int combgpu__batch_wide(const combgpu_tsp_batch_desc *desc)
{
    uint64_t all = desc->count * (uint64_t)(desc->n * (desc->x ? 1 : desc->n)), i;
    double most = (double)COMBGPU__TSP_NARROW / (desc->n + 1);
    if (desc->x && (desc->metric == COMBGPU_TSP_PLANE || desc->metric == COMBGPU_TSP_EARTH))
        return 1;
    if (desc->x) most = most / 4 - 2; /* a rounded distance is at most |dx| + |dy| + 1 */
    for (i = 0; i < all; i++) {
        double number = desc->x ? fabs(desc->x[i]) > fabs(desc->y[i]) ? desc->x[i] : desc->y[i]
                        : desc->weights ? desc->weights[i]
                                        : (double)desc->int_weights[i];
        if (!(number <= most && number >= -most)) return 1;
        if (desc->weights && number != (double)(int32_t)number) return 1;
    }
    return 0;
}

/* Stores an instance's numbers; returns a hash of them. */
COMBGPU__PRIVATE uint64_t combgpu__batch_store(const combgpu__tsp *tsp, int most, int wide,
                                               uint32_t *to)
{
    int64_t numbers[1 + COMBGPU__BATCH_MOST * (COMBGPU__BATCH_MOST + 2)] = {0};
    uint64_t hash = (uint64_t)tsp->m << 16 | (uint64_t)(uint16_t)tsp->scale;
    int count = 1 + most * (most + 2), m = tsp->m, i;
    numbers[0] = m;
    memcpy(numbers + 1, tsp->first, (size_t)m * sizeof *numbers);
    memcpy(numbers + 1 + most, tsp->last, (size_t)m * sizeof *numbers);
    for (i = 0; i < m; i++)
        memcpy(numbers + 1 + (2 + i) * most, tsp->legs + i * COMBGPU__TSP_MOST,
               (size_t)m * sizeof *numbers);
    if (!m) numbers[1] = tsp->nothing; /* what the only tour costs */
    for (i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)numbers[i]) * UINT64_C(1099511628211); /* FNV-1a, 64 bits a time */
        if (!wide) to[i] = (uint32_t)numbers[i];
    }
    if (wide) memcpy(to, numbers, (size_t)count * sizeof *numbers);
    return hash;
}

/* All instances; *hash identifies them. Returns the first one that is not valid, or count: threads
   must not share the context, so the caller makes the message. */
COMBGPU__PRIVATE uint64_t combgpu__batch_load(combgpu_job *job, uint32_t *numbers, uint64_t *hash)
{
    combgpu__batch *batch = (combgpu__batch *)job->state;
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    int64_t blocks = (int64_t)((desc->count + 255) / 256), block;
    size_t words = batch->stride * (1 + (size_t)batch->wide);
    uint64_t sum = 0, bad = desc->count;
#ifdef _OPENMP
    int threads = job->ctx->desc.threads > 0 ? job->ctx->desc.threads : omp_get_max_threads();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)                  \
    reduction(min : bad) if (blocks > 8)
#endif
    for (block = 0; block < blocks; block++) {
        uint64_t k = (uint64_t)block * 256, end = k + 256 < desc->count ? k + 256 : desc->count;
        combgpu__tsp tsp;
        memset(&tsp, 0, sizeof tsp);
        for (; k < end; k++) {
            if (combgpu__batch_form(NULL, desc, k, &tsp)) {
                if (k < bad) bad = k;
                break;
            }
            batch->scales[k] = (int16_t)tsp.scale;
            sum +=
                combgpu__mix(combgpu__mix(k) + combgpu__batch_store(&tsp, batch->most, batch->wide,
                                                                    numbers + (size_t)k * words));
        }
    }
    *hash = sum;
    return bad;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_tables(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)job->state;
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    size_t head, bytes;
    uint64_t hash, bad;
    combgpu_status status;
    int m;
    if (desc->count > SIZE_MAX / 4096) return combgpu__no_memory(job->ctx, SIZE_MAX);
    batch->most = desc->n - (desc->shape == COMBGPU_TSP_CYCLE || desc->path_start > 0) -
                  (desc->shape == COMBGPU_TSP_PATH && desc->path_end > 0);
    if (batch->most < 1) batch->most = 1; /* there is room for the cost of an only tour */
    batch->stride = 1 + (size_t)batch->most * ((size_t)batch->most + 2);
    batch->wide = combgpu__batch_wide(desc);
    head = COMBGPU__BATCH_HEAD + ((size_t)2 << batch->most);
    bytes =
        ((size_t)desc->count * batch->stride * (1 + (size_t)batch->wide) + head) * sizeof(uint32_t);
    job->tables = (uint32_t *)combgpu__allocate(job->ctx, bytes); /* all of it is written below */
    if (!job->tables) return combgpu__no_memory(job->ctx, bytes);
    job->tables_bytes = bytes;
    bytes = (size_t)desc->count * sizeof *batch->scales;
    batch->scales = (int16_t *)combgpu__allocate(job->ctx, bytes);
    if (!batch->scales) return combgpu__no_memory(job->ctx, bytes);
    bad = combgpu__batch_load(job, job->tables + head, &hash);
    if (bad < desc->count) {
        combgpu_context scratch; /* for the message alone: what is wrong with that instance? */
        combgpu__tsp tsp;
        memset(&scratch, 0, sizeof scratch);
        memset(&tsp, 0, sizeof tsp);
        status = combgpu__batch_form(&scratch, desc, bad, &tsp);
        return combgpu__fail(job->ctx, status, "instance %llu (counted from 0): %.400s",
                             (unsigned long long)bad, scratch.message);
    }
    memset(job->tables, 0, head * sizeof(uint32_t));
    job->tables[0] = (uint32_t)batch->most;
    job->tables[1] = (uint32_t)batch->wide;
    for (m = 0; m <= batch->most; m++)
        combgpu__batch_subsets(job->tables + COMBGPU__BATCH_HEAD + ((size_t)1 << m), m);
    snprintf(job->parameters, sizeof job->parameters,
             "batch %llu n %d shape %d ends %d %d weights %016llx", (unsigned long long)desc->count,
             desc->n, (int)desc->shape, desc->path_start, desc->path_end, (unsigned long long)hash);
    return COMBGPU_OK;
}

/* ---- frontier */

COMBGPU__PRIVATE combgpu_status combgpu__batch_frontier(combgpu_job *job)
{
    return combgpu__push_range(job, 0, ((const combgpu__batch *)job->state)->desc.count, 65536);
}

/* ---- C solver */

/* Where a table's instance k begins. */
COMBGPU__PRIVATE const uint32_t *combgpu__batch_numbers(const uint32_t *tables, uint64_t k)
{
    size_t most = tables[0], stride = 1 + most * (most + 2);
    return tables + COMBGPU__BATCH_HEAD + ((size_t)2 << most) +
           (size_t)k * stride * (1 + (size_t)tables[1]);
}

/* Rows f(0 .. 15, T) for T in ascending order: a row is the minimum of the rows of T's members, each
   a broadcast cost plus a column of legs, so compilers turn the inner loop into vector code. Entries
   for members of T are never read. */
#define COMBGPU__BATCH_SOLVER(BITS, COST, FAR)                                                     \
    COMBGPU__PRIVATE int64_t combgpu__batch_solve##BITS(const COST *costs, int most, COST *f,      \
                                                        uint64_t *order)                           \
    {                                                                                              \
        COST into[COMBGPU__BATCH_MOST][COMBGPU__BATCH_ROW];                                        \
        const COST *first = costs + 1, *last = first + most, *legs = last + most;                  \
        int m = (int)costs[0], i, c, place, before = -1;                                           \
        uint32_t full = (1u << m) - 1, set, rest;                                                  \
        int64_t length = 0;                                                                        \
        *order = 0;                                                                                \
        if (!m) return (int64_t)first[0];                                                          \
        for (i = 0; i < m; i++)                                                                    \
            for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                               \
                into[i][c] = c < m ? legs[c * most + i] : 0;                                       \
        for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                                   \
            f[c] = c < m ? last[c] : 0;                                                            \
        for (set = 1; set < full; set++) {                                                         \
            COST row[COMBGPU__BATCH_ROW];                                                          \
            for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                               \
                row[c] = FAR;                                                                      \
            for (rest = set; rest; rest &= rest - 1) {                                             \
                COST from;                                                                         \
                i = combgpu__lowest_bit64(rest);                                                   \
                from = f[(set ^ 1u << i) * COMBGPU__BATCH_ROW + (uint32_t)i];                      \
                for (c = 0; c < COMBGPU__BATCH_ROW; c++) {                                         \
                    COST cost = (COST)(into[i][c] + from);                                         \
                    row[c] = cost < row[c] ? cost : row[c];                                        \
                }                                                                                  \
            }                                                                                      \
            memcpy(f + set * COMBGPU__BATCH_ROW, row, sizeof row);                                 \
        }                                                                                          \
        for (rest = full, place = 0; place < m; place++) {                                         \
            COST best = FAR;                                                                       \
            int chosen = 0;                                                                        \
            for (c = 0; c < m; c++) {                                                              \
                COST cost;                                                                         \
                if (!(rest >> c & 1)) continue;                                                    \
                cost = (COST)((before < 0 ? first[c] : legs[before * most + c]) +                  \
                              f[(rest ^ 1u << c) * COMBGPU__BATCH_ROW + (uint32_t)c]);             \
                if (cost >= best) continue;                                                        \
                best = cost;                                                                       \
                chosen = c;                                                                        \
            }                                                                                      \
            if (!place) length = best;                                                             \
            *order |= (uint64_t)chosen << 4 * place;                                               \
            rest ^= 1u << chosen;                                                                  \
            before = chosen;                                                                       \
        }                                                                                          \
        return length;                                                                             \
    }

COMBGPU__BATCH_SOLVER(32, int32_t, (int32_t)1 << 30)
COMBGPU__BATCH_SOLVER(64, int64_t, (int64_t)1 << 62)

COMBGPU__PRIVATE uint64_t combgpu__batch_hash(uint64_t k, uint64_t length, uint64_t order)
{
    return combgpu__mix(combgpu__mix(combgpu__mix(k) + length) + order);
}

COMBGPU__PRIVATE void combgpu__batch_solve(combgpu__worker *worker)
{
    const uint32_t *tables = worker->tables, *task;
    char *work = (char *)worker->work + worker->index * worker->job->cpu_work_bytes_per_worker;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t k = combgpu__get64(task), end = combgpu__get64(task + 2);
        for (; k < end && !combgpu__spent(worker); k++) {
            const void *costs = combgpu__batch_numbers(tables, k);
            uint32_t record[COMBGPU__BATCH_RECORD_WORDS];
            uint64_t order, m;
            int64_t length;
            if (tables[1]) {
                length = combgpu__batch_solve64((const int64_t *)costs, (int)tables[0],
                                                (int64_t *)(void *)work, &order);
                m = (uint64_t) * (const int64_t *)costs;
            } else {
                length = combgpu__batch_solve32((const int32_t *)costs, (int)tables[0],
                                                (int32_t *)(void *)work, &order);
                m = *(const uint32_t *)costs;
            }
            combgpu__put64(record, k);
            combgpu__put64(record + 2, (uint64_t)length);
            combgpu__put64(record + 4, order);
            if (!combgpu__emit(worker, record)) break;
            worker->totals[0] += m << m >> 1;
            worker->totals[1] += combgpu__batch_hash(k, (uint64_t)length, order);
        }
        if (k < end) {
            uint32_t left[4];
            combgpu__put64(left, k);
            combgpu__put64(left + 2, end);
            combgpu__give(worker, left);
            return;
        }
    }
}

/* ---- records */

/* One number of an instance. */
COMBGPU__PRIVATE int64_t combgpu__batch_number(const combgpu_job *job, const uint32_t *numbers,
                                               size_t at)
{
    return job->tables[1] ? (int64_t)combgpu__get64(numbers + 2 * at) : (int64_t)numbers[at];
}

/* Unpacks a record's order; 0 if it is none, or does not cost what the record says. */
COMBGPU__PRIVATE int combgpu__batch_order(const combgpu_job *job, const uint32_t *record,
                                          int *order, int *m)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    uint64_t k = combgpu__get64(record), packed = combgpu__get64(record + 4);
    const uint32_t *numbers;
    size_t most = (size_t)batch->most;
    int64_t cost = 0;
    uint32_t used = 0;
    int i;
    if (k >= batch->desc.count) return 0;
    numbers = combgpu__batch_numbers(job->tables, k);
    *m = (int)combgpu__batch_number(job, numbers, 0);
    if (!*m) cost = combgpu__batch_number(job, numbers, 1);
    for (i = 0; i < *m; i++) {
        order[i] = (int)(packed >> 4 * i & 15);
        if (order[i] >= *m || used >> order[i] & 1) return 0;
        used |= 1u << order[i];
        cost += combgpu__batch_number(job, numbers,
                                      i ? 1 + (2 + (size_t)order[i - 1]) * most + (size_t)order[i]
                                        : 1 + (size_t)order[i]);
    }
    if (*m) cost += combgpu__batch_number(job, numbers, 1 + most + (size_t)order[*m - 1]);
    return (uint64_t)cost == combgpu__get64(record + 2) && packed >> 4 * *m == 0;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    uint64_t k = combgpu__get64(record);
    int order[COMBGPU__BATCH_MOST], m, n, front, back, city, i, at = 0;
    if (!combgpu__batch_order(job, record, order, &m))
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s: the tour that it found for instance %llu is not as long "
                             "as it says",
                             job->kernel.name, (unsigned long long)k);
    job->sums[COMBGPU__BATCH_SOLVED]++;
    if (desc->lengths)
        desc->lengths[k] = ldexp((double)combgpu__get64(record + 2), -batch->scales[k]);
    if (desc->tours) {
        uint8_t *tour = desc->tours + (size_t)k * (size_t)desc->n;
        uint8_t middle[COMBGPU__BATCH_MOST] = {0};
        n = desc->cities ? desc->cities[k] : desc->n;
        front = desc->shape == COMBGPU_TSP_CYCLE ? 0 : desc->path_start - 1;
        back = desc->shape == COMBGPU_TSP_CYCLE ? 0 : desc->path_end - 1;
        for (i = city = 0; city < n; city++)
            if (city != front && city != back) middle[i++] = (uint8_t)city;
        if (front >= 0) tour[at++] = (uint8_t)front;
        for (i = 0; i < m; i++)
            tour[at++] = middle[order[i]];
        if (back >= 0 && back != front) tour[at++] = (uint8_t)back;
    }
    return COMBGPU_RUNNING;
}

COMBGPU__PRIVATE double combgpu__batch_fraction(const combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    double shards = job->run.shard_count > 1 ? job->run.shard_count : 1;
    double fraction = (double)job->sums[COMBGPU__BATCH_SOLVED] * shards / (double)batch->desc.count;
    return fraction < 1 ? fraction : 1;
}

COMBGPU__PRIVATE uint64_t combgpu__batch_solutions(const combgpu_job *job)
{
    return job->sums[COMBGPU__BATCH_SOLVED];
}

COMBGPU__PRIVATE int combgpu__batch_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    return combgpu__get64(task) < combgpu__get64(task + 2) &&
           combgpu__get64(task + 2) <= batch->desc.count;
}

COMBGPU__PRIVATE int combgpu__batch_adopt_record(combgpu_job *job, const uint32_t *record)
{
    int order[COMBGPU__BATCH_MOST], m;
    return combgpu__batch_order(job, record, order, &m);
}

COMBGPU__PRIVATE void combgpu__batch_release(combgpu_job *job)
{
    combgpu__release(job->ctx, ((combgpu__batch *)job->state)->scales);
}

static const combgpu__problem combgpu__batch_problem = {"tsp batch",
                                                        combgpu__batch_frontier,
                                                        combgpu__batch_record,
                                                        NULL,
                                                        combgpu__batch_fraction,
                                                        combgpu__batch_solutions,
                                                        combgpu__batch_adopt_task,
                                                        combgpu__batch_adopt_record,
                                                        combgpu__batch_release};

/* ---- begin, end, one-shot */

static const combgpu__kernel combgpu__batch_kernel = {
    "combgpu_tsp_batched", "TSP", combgpu__batch_solve, 128, 128, 1, 1u << 19, NULL, NULL};

COMBGPU__DEF combgpu_status combgpu_tsp_batch_begin(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc,
                                                    combgpu_job **out)
{
    combgpu_job *job;
    combgpu__batch *batch;
    combgpu_status status;
    uint64_t k;
    size_t cost_bytes, entries;
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
    status = combgpu__job_create(ctx, &combgpu__batch_problem, sizeof *batch, &desc->run, &job);
    if (status) return status;
    batch = (combgpu__batch *)job->state;
    batch->desc = *desc;
    status = combgpu__batch_check(ctx, desc);
    if (!status) status = combgpu__batch_tables(job);
    if (!status) {
        job->kernel = combgpu__batch_kernel;
        job->task_words = 4;
        job->record_words = COMBGPU__BATCH_RECORD_WORDS;
        job->record_capacity = desc->count < 1u << 18 ? (uint32_t)desc->count : 1u << 18;
        cost_bytes = batch->wide ? sizeof(int64_t) : sizeof(int32_t);
        entries = ((size_t)batch->most << batch->most) / 2 + 1;
        job->work_bytes_per_worker = (entries + 1) / 2 * 2 * cost_bytes;
        job->cpu_work_bytes_per_worker = ((size_t)COMBGPU__BATCH_ROW << batch->most) * cost_bytes;
        status = combgpu__job_start(job);
    }
    if (!status && desc->lengths && desc->run.shard_count <= 1 && !job->sums[COMBGPU__BATCH_SOLVED])
        for (k = 0; k < desc->count; k++)
            desc->lengths[k] = -1;
    return combgpu__job_begun(job, status, out);
}

COMBGPU__DEF combgpu_status combgpu_tsp_batch_end(combgpu_job *job,
                                                  combgpu_tsp_batch_result *result)
{
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status =
        combgpu__is_job(job, job->problem == &combgpu__batch_problem, "combgpu_tsp_batch_begin");
    if (status) return status;
    status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    if (result) {
        memset(result, 0, sizeof *result);
        result->solved = job->sums[COMBGPU__BATCH_SOLVED];
        combgpu__run_info(job, job->sums[1], &result->run);
    }
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_batch(combgpu_context *ctx,
                                              const combgpu_tsp_batch_desc *desc,
                                              combgpu_tsp_batch_result *result)
{
    combgpu_job *job;
    combgpu_status status = combgpu_tsp_batch_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_tsp_batch_end(job, result);
}

/* (end of SECTION 52) */

/* ==================================================================== SECTION 60: self-test == */

COMBGPU__DEF combgpu_status combgpu_self_test(combgpu_context *ctx)
{
    combgpu_status status;
    int others, i;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    others = ctx->other_count;
    ctx->other_count = 0; /* one device after the other */
    status = combgpu__backend_self_test(ctx);
    if (!status) status = combgpu__magic_self_test(ctx);
    if (!status) status = combgpu__no3_self_test(ctx);
    if (!status) status = combgpu__perm_self_test(ctx);
    if (!status) status = combgpu__tsp_self_test(ctx);
    ctx->other_count = others;
    for (i = 0; i < others && !status; i++) {
        combgpu_context *other = ctx->others[i];
        status = combgpu_self_test(other);
        if (status)
            snprintf(ctx->message, sizeof ctx->message, "%s device %d (%.127s): %.300s",
                     other->backend->name, other->device.index, other->device.name, other->message);
    }
    return status;
}

#endif /* COMBGPU_IMPLEMENTATION */
