/* Tests a failing OpenCL driver: its n-th call, all from the n-th on, kernels that hang, data that comes
   back wrong. Every run ends with the right answer, by another device or after a verified repetition, or
   with a clean status, a message, and a checkpoint that the CPU resumes. */
#define _POSIX_C_SOURCE 200809L
#ifdef COMBGPU_OPENCL
#define TEST_OWN_IMPLEMENTATION /* with another driver */
#define COMBGPU_ONLY_NO3 1
#define COMBGPU_ONLY_TSP 1
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#ifndef CL_RUNNING /* the library itself does not ask for it */
#define CL_RUNNING 1
#endif
#include "faults.h"
#include <string.h>

/* Of call n: what a device may say. */
static cl_int fault_code(void)
{
    return fault_at % 3 == 0   ? CL_OUT_OF_RESOURCES
           : fault_at % 3 == 1 ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                               : CL_OUT_OF_HOST_MEMORY;
}

static cl_int fake_read(cl_command_queue queue, cl_mem from, cl_bool wait, size_t at, size_t bytes,
                        void *to, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = fault()
                       ? fault_code()
                       : clEnqueueReadBuffer(queue, from, wait, at, bytes, to, count, list, event);
    if (!error) fault_read(to, bytes);
    return error;
}

static cl_int fake_event_info(cl_event event, cl_uint what, size_t bytes, void *to, size_t *needed)
{
    cl_int error = fault() ? fault_code() : clGetEventInfo(event, what, bytes, to, needed);
    if (!error && fault_hangs()) *(cl_int *)to = CL_RUNNING;
    return error;
}

static cl_mem fake_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                          cl_int *error)
{
    if (!fault()) return clCreateBuffer(context, flags, bytes, host, error);
    *error = fault_code();
    return NULL;
}

static cl_kernel fake_kernel(cl_program program, const char *name, cl_int *error)
{
    if (!fault()) return clCreateKernel(program, name, error);
    *error = fault_code();
    return NULL;
}

#define FAKE(name, names, ...)                                                                     \
    static cl_int fake_##name names                                                                \
    {                                                                                              \
        return fault() ? fault_code() : __VA_ARGS__;                                               \
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
     (cl_kernel kernel, cl_device_id device, cl_uint what, size_t bytes, void *to, size_t *needed),
     clGetKernelWorkGroupInfo(kernel, device, what, bytes, to, needed))
FAKE(device, (cl_device_id device, cl_uint what, size_t bytes, void *to, size_t *needed),
     clGetDeviceInfo(device, what, bytes, to, needed))

/* macros where OpenCL is loaded at run time */
#undef clEnqueueReadBuffer
#undef clGetEventInfo
#undef clCreateBuffer
#undef clCreateKernel
#undef clEnqueueWriteBuffer
#undef clEnqueueCopyBuffer
#undef clEnqueueNDRangeKernel
#undef clSetKernelArg
#undef clFlush
#undef clFinish
#undef clGetKernelWorkGroupInfo
#undef clGetDeviceInfo
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
#include "faults.h"
#include <unistd.h>

/* For the leak sanitizer: a device that hangs is never closed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:combgpu__cl_open\nleak:combgpu__cl_prepare\n";
}

int main(void)
{
    combgpu_context *ctx;
    if (!test_open(2, &ctx)) return tap_end();
    combgpu_close(ctx);
    scenarios(COMBGPU_BACKEND_OPENCL, test_small() ? 11 : 3);
    return tap_end();
}
#else
int main(void)
{
    skip("this build has no opencl backend", "an OpenCL driver that fails");
    return tap_end();
}
#endif
