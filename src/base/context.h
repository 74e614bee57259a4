/* A context: its description, its message, its device. For base, engine and backends; a problem
   asks through src/engine/problem.h. */

typedef struct combgpu__backend combgpu__backend;

struct combgpu_context {
    combgpu_context_desc desc;
    const combgpu__backend *backend;
    const combgpu__backend *host; /* the CPU's: for searches without a kernel, and to verify */
    void *handle;                 /* the backend's */
    combgpu_device device;
    uint64_t free_bytes;        /* device memory that may be used */
    int lost;                   /* COMBGPU__LOST, _HUNG: no job uses the device any more */
    int shuffles;               /* COMBGPU_SHUFFLE holds in its kernels */
    int doubles;                /* COMBGPU__DOUBLES holds in its kernels */
    struct combgpu__team *team; /* its threads, made by the first loop that needs them */
    combgpu__lock lock;         /* combgpu__context_lock */
    int simd;                   /* COMBGPU__SIMD_...: what the CPU may use */
    /* the members after the first; each has its own context, whose `others` are empty */
    combgpu_context *others[COMBGPU_MAX_DEVICES - 1];
    int other_count;
    void *kept; /* what a problem keeps for its next jobs, and its key */
    const char *kept_tag;
    int kept_key;
    char message[512];
};
