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
    /* Does beforehand what takes long in open (kernel NULL) or prepare, for device `index`; open and
       prepare report what is wrong. Called from several threads at once. May be NULL. */
    void (*warm)(int index, const combgpu__kernel *kernel);
} combgpu__backend;

struct combgpu_context {
    combgpu_context_desc desc;
    const combgpu__backend *backend;
    void *handle; /* the backend's */
    combgpu_device device;
    uint64_t free_bytes; /* device memory that may be used */
    int lost;            /* COMBGPU__LOST, _HUNG: no job uses it any more */
    int shuffles;        /* COMBGPU_SHUFFLE holds in its kernels */
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
    int samples;    /* of the next look, where GPUs work meanwhile */
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
    char *first_head; /* until there is one: the header and tasks of the job's begin */
    uint32_t *first_tasks;
    size_t first_count, first_head_bytes;
    double started, earlier_s, device_s, last_progress, last_checkpoint, last_snapshot;
    combgpu__outlook outlook;
    uint64_t steps_at_start, slices;
};

