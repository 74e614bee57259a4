/* An OpenCL driver that fails: its n-th call, all from the n-th on, kernels that never end, data that
   comes back wrong. Every run ends with the right answer, by another device or after a verified
   repetition, or with a clean status, a message, and a checkpoint from which the CPU goes on. */
#define _POSIX_C_SOURCE 200809L
#ifdef COMBGPU_OPENCL
#define TEST_OWN_IMPLEMENTATION /* with another driver */
#define COMBGPU_ONLY_NO3 1
#define COMBGPU_ONLY_TSP 1
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

enum { NO_FAULT, ONE_FAILS, ALL_FAIL, HANGS, WRONG_DATA };
static int fault_kind, fault_at, cl_calls, events, reads;
static cl_int fault_code;

/* Nonzero: this call is to fail, with fault_code. */
static int fault(void)
{
    cl_calls++;
    if (fault_kind == ONE_FAILS) return cl_calls == fault_at;
    return fault_kind == ALL_FAIL && cl_calls >= fault_at;
}

static cl_int fake_read(cl_command_queue queue, cl_mem from, cl_bool wait, size_t at, size_t bytes,
                        void *to, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = fault()
                       ? fault_code
                       : clEnqueueReadBuffer(queue, from, wait, at, bytes, to, count, list, event);
    if (!error && fault_kind == WRONG_DATA && ++reads == fault_at && bytes)
        ((unsigned char *)to)[(size_t)fault_at * 7919 % bytes] ^=
            (unsigned char)(1 << fault_at % 8);
    return error;
}

static cl_int fake_event_info(cl_event event, cl_event_info what, size_t bytes, void *to,
                              size_t *needed)
{
    cl_int error = fault() ? fault_code : clGetEventInfo(event, what, bytes, to, needed);
    if (!error && fault_kind == HANGS && ++events >= fault_at) *(cl_int *)to = CL_RUNNING;
    return error;
}

static cl_mem fake_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                          cl_int *error)
{
    if (!fault()) return clCreateBuffer(context, flags, bytes, host, error);
    *error = fault_code;
    return NULL;
}

static cl_kernel fake_kernel(cl_program program, const char *name, cl_int *error)
{
    if (!fault()) return clCreateKernel(program, name, error);
    *error = fault_code;
    return NULL;
}

#define FAKE(name, names, ...)                                                                     \
    static cl_int fake_##name names                                                                \
    {                                                                                              \
        return fault() ? fault_code : __VA_ARGS__;                                                 \
    }
FAKE(write,
     (cl_command_queue queue, cl_mem to, cl_bool wait, size_t at, size_t bytes, const void *from,
      cl_uint count, const cl_event *list, cl_event *event),
     clEnqueueWriteBuffer(queue, to, wait, at, bytes, from, count, list, event))
FAKE(copy,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t bytes,
      cl_uint count, const cl_event *list, cl_event *event),
     clEnqueueCopyBuffer(queue, from, to, from_at, to_at, bytes, count, list, event))
FAKE(start,
     (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
      const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
      cl_event *event),
     clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, event))
FAKE(argument, (cl_kernel kernel, cl_uint number, size_t bytes, const void *value),
     clSetKernelArg(kernel, number, bytes, value))
FAKE(flush, (cl_command_queue queue), clFlush(queue))
FAKE(finish, (cl_command_queue queue), clFinish(queue))
FAKE(group,
     (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t bytes, void *to,
      size_t *needed),
     clGetKernelWorkGroupInfo(kernel, device, what, bytes, to, needed))
FAKE(device, (cl_device_id device, cl_device_info what, size_t bytes, void *to, size_t *needed),
     clGetDeviceInfo(device, what, bytes, to, needed))

#define clEnqueueReadBuffer fake_read
#define clGetEventInfo fake_event_info
#define clCreateBuffer fake_buffer
#define clCreateKernel fake_kernel
#define clEnqueueWriteBuffer fake_write
#define clEnqueueCopyBuffer fake_copy
#define clEnqueueNDRangeKernel fake_start
#define clSetKernelArg fake_argument
#define clFlush fake_flush
#define clFinish fake_finish
#define clGetKernelWorkGroupInfo fake_group
#define clGetDeviceInfo fake_device
#endif
#include "test.h"

#ifdef COMBGPU_OPENCL
#include <unistd.h>

/* For the leak sanitizer: a device that hangs is never closed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:combgpu__cl_open\nleak:combgpu__cl_prepare\n";
}

static char folder[] = "/tmp/combgpu.XXXXXX", checkpoint[64];
static uint64_t right;
static int all_twice; /* everything twice */

static void clean(void)
{
    static const char *const endings[] = {"", ".bak", ".new", ".lock"};
    char path[80];
    int i;
    for (i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", checkpoint, endings[i]);
        (void)unlink(path);
    }
}

static combgpu_status solve(combgpu_context *ctx, uint64_t *all)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.n = 7;
    desc.run.checkpoint_path = checkpoint;
    desc.run.checkpoint_interval_s = 1e-9;
    desc.run.resume = 1;
    desc.run.slice_ms = 1;
    if (fault_kind == HANGS) desc.run.slice_limit_s = 0.05;
    desc.run.verify = all_twice;
    desc.run.verify_share = all_twice;
    status = combgpu_no3(ctx, &desc, &result);
    *all = result.all;
    return status;
}

/* Runs with the fault on OpenCL, alone or beside the CPU; what is left, the CPU takes from the
   checkpoint. Returns whether all went well. *ended: the first run gave the answer. */
static int survives(int beside, int *ended)
{
    const combgpu_device_id both[2] = {{COMBGPU_BACKEND_OPENCL, 0}, {COMBGPU_BACKEND_CPU, 0}};
    combgpu_context_desc open = test_context(0);
    combgpu_context *ctx;
    combgpu_status status;
    uint64_t all = 0;
    char why[600] = "";
    int fine, kind = fault_kind;
    open.backend = COMBGPU_BACKEND_OPENCL;
    if (beside) {
        open.devices = both;
        open.device_count = 2;
    }
    cl_calls = events = reads = 0;
    status = combgpu_open(&ctx, &open);
    if (!status) status = solve(ctx, &all);
    if (status) snprintf(why, sizeof why, "%s", combgpu_message(ctx));
    fault_kind = NO_FAULT;
    combgpu_close(ctx);
    *ended = status == COMBGPU_OK;
    fine = *ended ? all == right : status < 0 && *why;
    if (!fine) printf("# %s, %d: %s\n", combgpu_status_string(status), (int)all, why);
    open = test_context(0);
    (void)combgpu_open(&ctx, &open);
    all = 0;
    all_twice = 0;
    status = solve(ctx, &all);
    if (status || all != right) {
        printf("# the CPU goes on: %s, %d: %s\n", combgpu_status_string(status), (int)all,
               combgpu_message(ctx));
        fine = 0;
    }
    combgpu_close(ctx);
    clean();
    fault_kind = kind;
    return fine;
}

static void every(int kind, int beside, int last, int step, const char *name)
{
    int n, ended, wrong = 0, right_at_once = 0, tried = 0;
    for (n = 1; n <= last; n += step) {
        fault_kind = kind;
        fault_at = n;
        fault_code = n % 3 == 0   ? CL_OUT_OF_RESOURCES
                     : n % 3 == 1 ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                  : CL_OUT_OF_HOST_MEMORY;
        all_twice = kind == WRONG_DATA;
        tried++;
        if (!survives(beside, &ended)) {
            wrong++;
            printf("# %s %d\n", name, n);
        }
        right_at_once += ended;
    }
    fault_kind = NO_FAULT;
    ok(!wrong, "%s%s: %d times the right answer, %d times a status and a checkpoint", name,
       beside ? ", the CPU beside it" : "", right_at_once, tried - right_at_once);
}

int main(void)
{
    combgpu_context *ctx;
    int ended, all_calls, step = test_small() ? 11 : 3;
    if (!mkdtemp(folder)) return 1;
    snprintf(checkpoint, sizeof checkpoint, "%s/c", folder);
    if (!test_open(2, &ctx)) return tap_end();
    combgpu_close(ctx);
    right = 132;
    ok(survives(0, &ended) && ended, "without a fault: 132 boards (A000755)");
    all_calls = cl_calls < 90 ? cl_calls : 90; /* several slices and checkpoints */
    /* what a device says of itself, its memory and kernels, and the first slices */
    every(ONE_FAILS, 0, all_calls, step, "call n fails");
    every(ONE_FAILS, 1, all_calls, step, "call n fails");
    every(ALL_FAIL, 0, all_calls, step, "lost from call n on");
    every(ALL_FAIL, 1, all_calls, step, "lost from call n on");
    every(HANGS, 0, 5, 1, "the kernel never ends");
    every(HANGS, 1, 5, 1, "the kernel never ends");
    every(WRONG_DATA, 0, 60, step, "read n is wrong");
    every(WRONG_DATA, 1, 60, step, "read n is wrong");
    rmdir(folder);
    return tap_end();
}
#else
int main(void)
{
    skip("this build has no opencl backend", "an OpenCL driver that fails");
    return tap_end();
}
#endif
