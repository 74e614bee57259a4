/* Tests callers' own kernels and memory: the device functions against the host's, and ranges written to
   the caller's memory, ordered by the caller's stream or queue. */
#define COMBGPU_ONLY_PERM 1
#define TEST_OWN_IMPLEMENTATION /* calls OpenCL itself, as the one file that loads it may */
#include "test.h"

/* ---- what the kernel below does, for item i: n, seed and index follow from i. 8 rows of 34 bytes,
   and 3 numbers. */

enum { ITEMS = 1000, ROW = 34, ROWS = 8 };
#define SEED 12345

typedef struct outcome {
    uint8_t rows[ITEMS][ROWS][ROW];
    uint64_t numbers[ITEMS][3];
} outcome;
static outcome got, want;

static void expect(void)
{
    int i, j;
    memset(&want, 0, sizeof want);
    for (i = 0; i < ITEMS; i++) {
        uint8_t(*row)[ROW] = want.rows[i];
        int n = 1 + i % 34;
        combgpu_u128 rank;
        int parity = -1;
        combgpu_perm_random(NULL, n, SEED, (uint64_t)i << 33, row[0]);
        for (j = 1; j <= 2; j++)
            memcpy(row[j], row[0], ROW);
        row[7][0] = (uint8_t)combgpu_perm_next(n, row[1]);
        row[7][1] = (uint8_t)combgpu_perm_previous(n, row[2]);
        combgpu_perm_inverse(NULL, n, row[0], row[3]);
        combgpu_perm_compose(NULL, n, row[0], row[0], row[4]);
        combgpu_perm_rank128(NULL, n, row[0], &rank);
        combgpu_perm_unrank128(NULL, n, rank, row[5]);
        combgpu_perm_parity(NULL, n, row[0], &parity);
        row[7][2] = (uint8_t)parity;
        want.numbers[i][0] = rank.lo;
        want.numbers[i][1] = rank.hi;
        if (n > 20) continue;
        combgpu_perm_unrank(NULL, n, rank.lo, row[6]);
        combgpu_perm_rank(NULL, n, row[0], &want.numbers[i][2]);
    }
}

/* The same in the words of a kernel; U8, U64, MEMORY are the dialect's. */
#define BODY                                                                                       \
    U8 a[34], b[34];                                                                               \
    int n = 1 + i % 34, j;                                                                         \
    U64 low, high;                                                                                 \
    MEMORY U8 *row = rows + i * 8 * 34;                                                            \
    combgpu_random_permutation(n, 12345, (U64)i << 33, a);                                         \
    for (j = 0; j < n; j++)                                                                        \
        row[j] = b[j] = a[j];                                                                      \
    row[7 * 34] = (U8)combgpu_next_permutation(n, b);                                              \
    for (j = 0; j < n; j++) {                                                                      \
        row[34 + j] = b[j];                                                                        \
        b[j] = a[j];                                                                               \
    }                                                                                              \
    row[7 * 34 + 1] = (U8)combgpu_previous_permutation(n, b);                                      \
    for (j = 0; j < n; j++)                                                                        \
        row[2 * 34 + j] = b[j];                                                                    \
    combgpu_inverse(n, a, b);                                                                      \
    for (j = 0; j < n; j++)                                                                        \
        row[3 * 34 + j] = b[j];                                                                    \
    combgpu_compose(n, a, a, b);                                                                   \
    for (j = 0; j < n; j++)                                                                        \
        row[4 * 34 + j] = b[j];                                                                    \
    low = combgpu_rank128(n, a, &high);                                                            \
    combgpu_unrank128(n, high, low, b);                                                            \
    for (j = 0; j < n; j++)                                                                        \
        row[5 * 34 + j] = b[j];                                                                    \
    row[7 * 34 + 2] = (U8)combgpu_parity(n, a);                                                    \
    numbers[3 * i] = low;                                                                          \
    numbers[3 * i + 1] = high;                                                                     \
    if (n <= 20) {                                                                                 \
        numbers[3 * i + 2] = combgpu_rank(n, a);                                                   \
        combgpu_unrank(n, low, b);                                                                 \
        for (j = 0; j < n; j++)                                                                    \
            row[6 * 34 + j] = b[j];                                                                \
    }

TEST_HELPER void compare(const char *place)
{
    int i, rows = 0, numbers = 0, k;
    expect();
    for (i = 0; i < ITEMS; i++) {
        for (k = 0; k < ROWS; k++)
            if (memcmp(got.rows[i][k], want.rows[i][k], ROW)) {
                if (!rows) printf("# item %d, row %d\n", i, k);
                rows++;
            }
        numbers += memcmp(got.numbers[i], want.numbers[i], sizeof got.numbers[i]) != 0;
    }
    ok(!rows && !numbers,
       "%s: a kernel of the caller's gets from every device function what the host gets", place);
}

/* ---- ranges to memory that the caller allocated: n = 9 from rank 1000 on, 3 bytes into it */

enum { COUNT = 300000, SHIFT = 3, BYTES = COUNT * 9 + 64 };
static uint8_t bytes[BYTES];

TEST_HELPER int right_bytes(void)
{
    uint8_t perm[34];
    int i, wrong = 0;
    combgpu_perm_unrank(NULL, 9, 1000, perm);
    for (i = 0; i < COUNT; i++, combgpu_perm_next(9, perm))
        wrong += memcmp(bytes + SHIFT + 9 * i, perm, 9) != 0;
    for (i = 0; i < BYTES; i++)
        if (i < SHIFT || i >= SHIFT + 9 * COUNT) wrong += bytes[i] != 77;
    return !wrong;
}

TEST_HELPER combgpu_perm_desc range_to(void *memory, void *queue)
{
    combgpu_perm_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = 9;
    desc.first = 1000;
    desc.count = COUNT;
    desc.device_out.memory = memory;
    desc.device_out.offset = SHIFT;
    desc.device_out.bytes = COUNT * 9;
    desc.device_out.queue = queue;
    return desc;
}

#define REFUSED(call, part)                                                                        \
    ok((call) == COMBGPU_INVALID_ARGUMENT && strstr(combgpu_message(ctx), part),                   \
       "refused: \"%s\"", combgpu_message(ctx))

#if defined(COMBGPU_CUDA) && defined(__CUDACC__)
#define U8 unsigned char
#define U64 uint64_t
#define MEMORY
static __global__ void own_cuda(U8 *rows, U64 *numbers)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= 1000) return;
    BODY
}
#undef U8
#undef U64
#undef MEMORY

static void with_cuda(void)
{
    combgpu_context *ctx;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    cudaStream_t stream;
    unsigned char *rows, *memory, host = 0;
    uint64_t *numbers;
    int k;
    if (!test_open(3, &ctx)) return;
    cudaMalloc((void **)&rows, sizeof got.rows);
    cudaMalloc((void **)&numbers, sizeof got.numbers);
    cudaMalloc((void **)&memory, BYTES);
    cudaMemset(rows, 0, sizeof got.rows);
    cudaMemset(numbers, 0, sizeof got.numbers);
    own_cuda<<<8, 128>>>(rows, numbers);
    cudaMemcpy(got.rows, rows, sizeof got.rows, cudaMemcpyDeviceToHost);
    cudaMemcpy(got.numbers, numbers, sizeof got.numbers, cudaMemcpyDeviceToHost);
    compare("cuda");
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (k = 0; k < 2; k++) {
        cudaStream_t used = k ? stream : (cudaStream_t)0;
        desc = range_to(memory, used);
        cudaMemsetAsync(memory, 77, BYTES, used); /* the job must wait for it */
        equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK,
                     "cuda: to memory of the caller's, %s", k ? "a stream" : "the default stream");
        cudaMemcpyAsync(bytes, memory, BYTES, cudaMemcpyDeviceToHost, used);
        cudaStreamSynchronize(used);
        ok(right_bytes(), "cuda: the bytes are right");
    }
    desc.device_out.memory = &host;
    REFUSED(combgpu_perm(ctx, &desc, &result), "is not CUDA device memory");
    ok(cudaGetLastError() == cudaSuccess, "cuda: no error is left behind");
    cudaStreamDestroy(stream);
    cudaFree(rows);
    cudaFree(numbers);
    cudaFree(memory);
    combgpu_close(ctx);
}
#else
static void with_cuda(void)
{
}
#endif

#ifdef COMBGPU_OPENCL
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define U8 uchar
#define U64 ulong
#define MEMORY __global
static const char own_opencl[] =
    "__kernel void own(__global uchar *rows, __global ulong *numbers) {\n"
    "const int i = (int)get_global_id(0);\n" TEXT(BODY) "}\n";
#undef U8
#undef U64
#undef MEMORY

/* combgpu_kernels.cl, then the caller's kernel. */
static cl_program own_program(cl_context context, cl_device_id device)
{
    static char kernels[1 << 20];
    const char *strings[2] = {kernels, own_opencl};
    cl_program program;
    FILE *file = test_open_file("../../combgpu_kernels.cl");
    if (file) {
        size_t size = fread(kernels, 1, sizeof kernels - 1, file);
        ok(size > 0 && feof(file), "combgpu_kernels.cl is read");
        fclose(file);
    }
    program = clCreateProgramWithSource(context, 2, strings, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -DCOMBGPU_KERNELS_PERM", NULL, NULL)) {
        char log[2000] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("# %s\n", log);
    }
    return program;
}

static void with_opencl(void)
{
    combgpu_status status;
    const size_t global = ITEMS;
    const cl_uchar fill = 77;
    combgpu_context_desc open;
    combgpu_context *ctx;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_device_memory other;
    cl_device_id devices[1];
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem rows, numbers, memory;
    if (!test_open(2, &ctx)) return;
    combgpu_close(ctx);
    devices[0] = (cl_device_id)inside_cl_device();
    context = clCreateContext(NULL, 1, devices, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, devices[0], 0, NULL);
    rows = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof got.rows, NULL, NULL);
    numbers = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof got.numbers, NULL, NULL);
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
    memset(&got, 0, sizeof got);
    clEnqueueWriteBuffer(queue, rows, CL_TRUE, 0, sizeof got.rows, got.rows, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, numbers, CL_TRUE, 0, sizeof got.numbers, got.numbers, 0, NULL,
                         NULL);
    program = own_program(context, devices[0]);
    kernel = clCreateKernel(program, "own", NULL);
    clSetKernelArg(kernel, 0, sizeof rows, &rows);
    clSetKernelArg(kernel, 1, sizeof numbers, &numbers);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, rows, CL_TRUE, 0, sizeof got.rows, got.rows, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof got.numbers, got.numbers, 0, NULL, NULL);
    compare("opencl");

    memset(&open, 0, sizeof open);
    open.opencl_queue = queue;
    equal_status(ctx, combgpu_open(&ctx, &open), COMBGPU_OK, "opencl: on the caller's queue");
    desc = range_to(memory, queue);
    clEnqueueFillBuffer(queue, memory, &fill, 1, 0, BYTES, 0, NULL, NULL);
    equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK,
                 "opencl: to memory of the caller's");
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL);
    ok(right_bytes(), "opencl: the bytes are right");
    clEnqueueFillBuffer(queue, memory, &fill, 1, 0, BYTES, 0, NULL, NULL);
    clFinish(queue);
    desc.device_out.queue = NULL;
    equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK, "opencl: without a queue");
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL);
    ok(right_bytes(), "opencl: the bytes are right again");
    combgpu_close(ctx);

    if (test_open(2, &ctx)) {
        REFUSED(combgpu_perm(ctx, &desc, &result), "a cl_mem of another cl_context");
        if (combgpu_device_allocate(ctx, BYTES, &other) == COMBGPU_OK) {
            desc.device_out.memory = other.memory;
            desc.device_out.queue = queue;
            REFUSED(combgpu_perm(ctx, &desc, &result), "queue is of another cl_context");
            combgpu_device_release(ctx, &other);
        }
        combgpu_close(ctx);
    }
    open.backend = COMBGPU_BACKEND_CPU;
    status = combgpu_open(&ctx, &open);
    REFUSED(status, "desc.opencl_queue is set");
    combgpu_close(ctx);
    clReleaseMemObject(rows);
    clReleaseMemObject(numbers);
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}
#else
static void with_opencl(void)
{
}
#endif

int main(void)
{
    expect();
    ok(want.rows[0][0][0] == 0 && want.rows[33][0][0] < 34, "the host's functions");
    with_opencl();
    with_cuda();
    return tap_end();
}
