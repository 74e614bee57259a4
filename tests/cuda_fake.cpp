/* A CUDA runtime without a GPU, for cuda_faults.cu: one device with host memory. fake_run handles a launch,
   and fake_fault decides which call fails. Compiled by nvcc as C++ and linked instead of the runtime. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>

extern "C" {
/* In cuda_faults.cu: */
int fake_fault(void);                   /* an error for this call, or 0 */
int fake_hangs(void);                   /* has the kernel not ended? */
void fake_read(void *to, size_t bytes); /* what comes back may be wrong */
int fake_run(void **arguments);         /* a launch: an error, or 0 */
extern int fake_live;                   /* blocks, streams and events in use */
extern int fake_waited;                 /* waits that would never have ended */
extern const size_t fake_slack;         /* bytes behind each block */

static cudaError_t last_error;
static int running; /* a kernel was launched, and nobody has waited for it */

/* Whether the kernel that was launched is still at work. */
static int hangs(void)
{
    running = running && fake_hangs();
    return running;
}

static cudaError_t result(int error)
{
    if (error) last_error = (cudaError_t)error;
    return (cudaError_t)error;
}

static double now(void)
{
    return 1e-9 * (double)std::chrono::steady_clock::now().time_since_epoch().count();
}

/* As aligned as CUDA's, and not zeroed. */
static void *make(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 256, bytes + fake_slack)) return NULL;
    memset(memory, 0xa5, bytes);
    fake_live++;
    return memory;
}

/* What is freed is freed, even if the device is lost. */
static cudaError_t unmake(void *thing)
{
    fake_live -= thing != NULL;
    free(thing);
    return result(fake_fault());
}

/* A call that waits for the device. */
static cudaError_t waits(void)
{
    int error = fake_fault();
    if (!error && hangs()) {
        fake_waited++;
        error = cudaErrorLaunchTimeout;
    }
    return result(error);
}

/* ---- what nvcc's code calls, to name its kernels */

void **__cudaRegisterFatBinary(void *binary);
void **__cudaRegisterFatBinary(void *binary)
{
    (void)binary;
    return (void **)&last_error;
}
#define NOTHING(name)                                                                              \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return 0;                                                                                  \
    }
NOTHING(__cudaRegisterFatBinaryEnd)
NOTHING(__cudaUnregisterFatBinary)
NOTHING(__cudaRegisterFunction)
NOTHING(__cudaRegisterVar)
NOTHING(__cudaInitModule)
NOTHING(__cudaGetKernel)
NOTHING(__cudaLaunchKernel)
NOTHING(__cudaPushCallConfiguration)
NOTHING(__cudaPopCallConfiguration)

/* ---- the runtime */

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error ? "cudaErrorOfTheFake" : "cudaSuccess";
}

const char *cudaGetErrorString(cudaError_t error)
{
    static char text[40];
    snprintf(text, sizeof text, "error %d of the fake", (int)error);
    return text;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    int error = fake_fault();
    *count = !error;
    return result(error);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    int error = fake_fault();
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "NVIDIA H200, a fake");
    properties->totalGlobalMem = (size_t)1 << 32;
    return result(device ? (int)cudaErrorInvalidDevice : error);
}

/* A small H200: two multiprocessors. */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    int error = fake_fault();
    *value = error                                                      ? 0
             : attribute == cudaDevAttrMultiProcessorCount              ? 2
             : attribute == cudaDevAttrComputeCapabilityMajor           ? 9
             : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin     ? 232448
             : attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor ? 233472
                                                                        : 0;
    return result(device ? (int)cudaErrorInvalidDevice : error);
}

cudaError_t cudaSetDevice(int device)
{
    int error = fake_fault();
    return result(device ? (int)cudaErrorInvalidDevice : error);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return waits();
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all)
{
    *free_bytes = *all = (size_t)1 << 32;
    return result(fake_fault());
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    int error = fake_fault();
    if (!error) *memory = make(bytes);
    return result(error ? error : *memory ? 0 : (int)cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *memory)
{
    return unmake(memory);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    int error = fake_fault();
    (void)flags;
    if (!error) *stream = (cudaStream_t)make(1);
    running = 0;
    return result(error);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return unmake(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return waits();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return result(fake_fault());
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    int error = fake_fault();
    (void)stream;
    if (error) return result(error);
    memmove(to, from, bytes);
    if (kind == cudaMemcpyDeviceToHost) fake_read(to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    int error = fake_fault();
    (void)stream;
    if (!error) memset(to, value, bytes);
    return result(error);
}

/* An event is the time at which it was recorded. */
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    int error = fake_fault();
    (void)flags;
    if (!error) *event = (cudaEvent_t)make(sizeof(double));
    return result(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return unmake(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    int error = fake_fault();
    (void)stream;
    if (!error) *(double *)(void *)event = now();
    return result(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    int error = fake_fault();
    (void)event;
    return result(error ? error : hangs() ? (int)cudaErrorNotReady : 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return waits();
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    *milliseconds = (float)(1e3 * (*(double *)(void *)end - *(double *)(void *)begin));
    return result(fake_fault());
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    memset(attributes, 0, sizeof *attributes);
    (void)memory;
    attributes->type = cudaMemoryTypeDevice;
    return result(fake_fault());
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    int error = fake_fault();
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = error ? 0 : 256;
    attributes->sharedSizeBytes = 20000;
    return result(function ? error : (int)cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return result(fake_fault());
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared)
{
    int error = fake_fault();
    (void)function, (void)threads, (void)shared;
    *blocks = !error;
    return result(error);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    int error = fake_fault();
    (void)shared, (void)stream;
    if (!error && !function) error = cudaErrorInvalidDeviceFunction;
    if (!error && (!grid.x || !block.x || block.x > 256)) error = cudaErrorInvalidConfiguration;
    if (!error) error = fake_run(arguments);
    running = !error;
    return result(error);
}
}
