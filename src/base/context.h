/* A context: its description, message and device. For base, engine and backends; problems use
   src/engine/problem.h. */

typedef struct combgpu__backend combgpu__backend;

struct combgpu_context {
    combgpu_context_desc desc;
    const combgpu__backend *backend;
    const combgpu__backend *host; /* the CPU's: for searches without a kernel, and to verify */
    void *handle;                 /* the backend's */
    combgpu_device device;
    uint64_t free_bytes;        /* usable device memory */
    int lost;                   /* COMBGPU__LOST, _HUNG: the device is abandoned */
    int shuffles;               /* COMBGPU_SHUFFLE holds in its kernels */
    int doubles;                /* COMBGPU__DOUBLES holds in its kernels */
    struct combgpu__team *team; /* its threads, created by the first loop that needs them */
    combgpu__lock lock;         /* combgpu__context_lock */
    int simd;                   /* COMBGPU__SIMD_...: the CPU's usable level */
    /* the devices after the first; each has its own context, without `others` */
    combgpu_context *others[COMBGPU_MAX_DEVICES - 1];
    int other_count;
    void *kept; /* data that a problem keeps for its next jobs, and their key */
    const char *kept_tag;
    int kept_key;
    char message[512];
};
