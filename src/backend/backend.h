/* The interface between engine and backends. */

/* One launch of a slice. */
typedef struct combgpu__launch {
    const combgpu__kernel *kernel;
    void *program;    /* from the backend's prepare */
    combgpu_job *job; /* for C solvers */
    uint32_t workers;
    /* C solvers poll with it now and then, to keep other devices from waiting; NULL = none */
    void (*look)(const combgpu__worker *worker);
    combgpu__memory *control, *tables, *tasks, *left, *records, *work;
    double seconds;         /* time in the kernel, set at its end */
    combgpu__result result; /* last result of poll */
} combgpu__launch;

/* A backend. All functions set the context's message on failure. */
struct combgpu__backend {
    combgpu_backend id;
    const char *name;
    /* Writes up to capacity devices and returns how many exist. */
    int (*devices)(combgpu_device *devices, int capacity);
    /* Opens device ctx->desc.device: sets ctx->device, ctx->free_bytes, ctx->handle. Returns
       NO_DEVICE with the reason if no device exists. */
    combgpu_status (*open)(combgpu_context *ctx);
    void (*close)(combgpu_context *ctx);
    /* Builds or finds a kernel; *workers gets the number of workers that fill the device. */
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
    /* Starts a slice and returns; on the CPU, runs it. A program runs one slice at a time. */
    combgpu_status (*start)(combgpu_context *ctx, combgpu__launch *launch);
    /* Returns WORKING, DONE with launch->seconds set, or a failure; the last two only once. */
    combgpu__result (*poll)(combgpu_context *ctx, combgpu__launch *launch);
    /* Checks the caller's memory, argument `name`, makes the device wait for its queue, and sets
       `to`, which must not be released; *shift gets the bytes from `to` to memory + offset. */
    combgpu_status (*adopt)(combgpu_context *ctx, const char *name,
                            const combgpu_device_memory *from, combgpu__memory *to, size_t *shift);
    combgpu_status (*fill)(combgpu_context *ctx, combgpu__memory *memory, size_t offset, int value,
                           size_t bytes, double *seconds);
    /* Does the slow part of open (kernel NULL) or prepare in advance, for device `index`. Leaves
       error reports to open and prepare. Called from several threads at once. May be NULL. */
    void (*warm)(int index, const combgpu__kernel *kernel);
};

/* An entry of the list of all kernels (kernel/list.c). */
typedef struct combgpu__entry {
    const char *name;
    const char *part;        /* "MAGIC" -> COMBGPU_KERNELS_MAGIC */
    const void *cuda;        /* NULL without CUDA, and for CALLERS */
    const void *cuda_shared; /* may be NULL */
    int shared_bytes;
} combgpu__entry;
/* Returns the kernel of this name, or NULL. */
COMBGPU__PRIVATE const combgpu__entry *combgpu__entry_of(const char *name);

#ifdef COMBGPU_OPENCL
/* Drivers that some kernels do not suit; src/backend/opencl_program.c tells them. A problem's list
   has FAULT(function, driver) for each, found by tests/platforms_opencl.sh. */
enum { COMBGPU__POCL_LLVM18 = 1, COMBGPU__POCL_CBS = 2 };

/* Returns the drivers on which the kernel of this name fails. */
COMBGPU__PRIVATE int combgpu__entry_faults(const char *name);
#endif
