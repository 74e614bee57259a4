/* ---- The engine's private structs: readable for tests, hidden from problems. */

/* A device at work for a job: its workers, its pool, its memory. */
enum { COMBGPU__LOST = 1, COMBGPU__HUNG = 2 };
enum {
    COMBGPU__CONTROL,
    COMBGPU__TABLES,
    COMBGPU__POOL,
    COMBGPU__LEFT, /* tasks that a slice spills; then POOL and LEFT swap */
    COMBGPU__RECORDS,
    COMBGPU__WORK
};
struct combgpu__executor {
    combgpu_context *ctx;            /* the job's context, or another device's */
    const combgpu__backend *backend; /* the context's; the CPU's if the kernel has only a C form */
    void *program;
    combgpu__memory memory[6];
    uint32_t workers, pool_capacity, pool_count, budget;
    uint64_t fresh;     /* in the pool: the frontier's tasks that no slice has begun */
    uint32_t unclaimed; /* the pool's last tasks, not claimed in the last slice */
    int starved;        /* the last slice ended because workers lacked tasks */
    int ready;          /* its memory is to be released, */
    int keeps_work;     /* but not the work memory, which is the caller's */
    int running;        /* a slice is under way; pool_count counts its initial tasks */
    int lost;           /* COMBGPU__LOST, _HUNG: abandoned; 0 = in use */
    double began;       /* when the slice started */
    double speed;       /* nodes per second, smoothed; 0 = unknown */
    double seconds;     /* inside kernels */
    uint64_t steps, slices, errors, verified, mismatches;
    uint32_t verify_size[2]; /* tasks per verification: on another device, on the CPU */
    /* Words of the tables that the next slice uploads: [changed, changed_end). */
    size_t changed, changed_end;
    combgpu__launch launch;
};

/* Estimates of the job's size from samples; combgpu__outlook_update adds to them. */
typedef struct combgpu__outlook {
    double spent, cost, next; /* seconds: on samples so far, of a batch, until the next update */
    double weight, steps, variance; /* sums over all updates, by weight, of their estimates */
    double spread, freedom;         /* squares of relative deviations of single samples */
    double logs;                    /* the same for their logarithms; the newest weigh most */
    double logs_freedom;
    double low, high;             /* 95 % interval of the job's steps by the newest samples alone */
    struct combgpu__sizes *sizes; /* of tasks, as learned from all samples */
    double shown;                 /* fraction last reported */
    uint64_t seed;
    int samples;    /* in the next update, while GPUs work */
    int impossible; /* this search cannot be sampled */
} combgpu__outlook;

/* A CPU thread's polls for devices that wait for the host. */
struct combgpu__polls {
    uint32_t calls;
    double next;
    void (*look)(const combgpu__worker *worker);
};

/* What a job is doing: nothing, calling the progress callback, or the rest of a step. */
enum { COMBGPU__IDLE, COMBGPU__REPORTS, COMBGPU__WORKS };

/* The job's checkpoint file. */
typedef struct combgpu__job_file {
    char *path;
    int lock;               /* the open lock file + 1; 0 = none; -1 = the system cannot lock it */
    long process;           /* this process */
    uint64_t token;         /* marks this run's checkpoint files; 0 = it writes none */
    uint64_t token_there;   /* the file's token when this run last read or wrote it */
    int there;              /* whether the file existed then */
    int keep_backup;        /* the file is damaged: it must not replace the .bak */
    combgpu_status unsaved; /* with FILE_ERROR: the status before */
    uint64_t written, failed;
} combgpu__job_file;

/* The host's stack of tasks. */
typedef struct combgpu__job_reserve {
    uint32_t *tasks;
    size_t count, capacity;
    size_t deferred;     /* the first tasks: no slice takes them */
    uint64_t fresh;      /* frontier tasks here that no slice has begun */
    uint64_t all_shards; /* frontier tasks pushed */
    uint64_t own_shard;  /* those of this shard */
} combgpu__job_reserve;

/* Records not yet delivered: [next, count). */
typedef struct combgpu__job_pending {
    uint32_t *records;
    size_t next, count, capacity;
} combgpu__job_pending;

/* What a failed device's tasks come back from. */
typedef struct combgpu__job_recovery {
    unsigned char *snapshot; /* a checkpoint in memory */
    size_t bytes;
    char *head; /* before the first snapshot: header and tasks at the job's start */
    uint32_t *tasks;
    size_t count, head_bytes;
    int tasks_lost; /* a device failed with tasks that no snapshot restored */
} combgpu__job_recovery;

/* Seconds, and the times when something was last done. */
typedef struct combgpu__job_clock {
    double started, earlier_s, device_s;
    double progress, checkpoint, snapshot;
} combgpu__job_clock;

/* A running search. */
struct combgpu_job {
    combgpu_context *ctx;
    const combgpu__search
        *search; /* the entry point that made it, and the row of its table; NULL = none */
    const combgpu__method *method;
    combgpu__job_desc desc; /* the problem's; a change of kernel updates it */
    struct {
        combgpu__kernel kernel;
        int due, done; /* due: the next step changes to it */
    } change;
    void *state;      /* the problem's */
    uint32_t *tables; /* constant data for C solvers and kernels */
    size_t tables_bytes;
    uint64_t *accumulators; /* COMBGPU__ACCUMULATORS words, in the job's allocation */

    combgpu_run_desc run;
    combgpu__job_file file;
    combgpu_status status;
    uint64_t enough; /* combgpu__is_enough; 0 before the first solution of this job */
    int at_work;     /* COMBGPU__IDLE, ... */
    combgpu__job_reserve reserve;
    combgpu__job_pending pending;
    combgpu__executor *executors;
    combgpu_device_report *reports; /* for progress */
    int executor_count;
    uint32_t budget; /* of the first executor's next slice; others have their own */
    struct {
        combgpu__executor checker;   /* the CPU */
        combgpu__executor *executor; /* the one that verifies */
        uint64_t random;
    } verify;
    combgpu_status broken; /* the next round fails with this status */
    combgpu__job_recovery recovery;
    combgpu__job_clock clock;
    combgpu__outlook outlook;
    uint64_t steps_at_start, slices;
};

/* For the backends: does the slow parts of opening several devices in parallel. */
COMBGPU__PRIVATE void combgpu__warm(combgpu_context *ctx, const combgpu__backend *const *backends,
                                    const int *indices, int count, const combgpu__kernel *kernel);
