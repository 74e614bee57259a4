/* OpenCL 1.2 as far as combgpu uses it, loaded when the first device is asked for: programs need no
   OpenCL to be built or to start. Stands in for the system's <CL/cl.h> in one file, the one that
   implements combgpu: put this folder first in its include path, and do not link with -lOpenCL.
   Values and prototypes: Khronos OpenCL 1.2 specification and registry. */
#ifndef COMBGPU_OPENCL_LOADER_H
#define COMBGPU_OPENCL_LOADER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define COMBGPU_CL_CALL __stdcall
#else
#include <dlfcn.h>
#include <pthread.h>
#define COMBGPU_CL_CALL
#endif

#define CL_API_CALL COMBGPU_CL_CALL

typedef uint8_t cl_uchar;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef cl_bitfield cl_device_type, cl_mem_flags, cl_mem_migration_flags;
typedef cl_bitfield cl_command_queue_properties, cl_device_fp_config;
typedef cl_uint cl_device_info;
typedef intptr_t cl_context_properties;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

#define CL_FALSE 0
#define CL_TRUE 1

#define CL_SUCCESS 0
#define CL_DEVICE_NOT_FOUND -1
#define CL_MEM_OBJECT_ALLOCATION_FAILURE -4
#define CL_OUT_OF_RESOURCES -5
#define CL_OUT_OF_HOST_MEMORY -6
#define CL_PROFILING_INFO_NOT_AVAILABLE -7
#define CL_BUILD_PROGRAM_FAILURE -11
#define CL_INVALID_VALUE -30
#define CL_INVALID_DEVICE -33
#define CL_PLATFORM_NOT_FOUND_KHR -1001

#define CL_PLATFORM_VERSION 0x0901
#define CL_PLATFORM_NAME 0x0902
#define CL_PLATFORM_VENDOR 0x0903
#define CL_DEVICE_TYPE_GPU (1 << 2)
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFF
#define CL_DEVICE_TYPE 0x1000
#define CL_DEVICE_MAX_COMPUTE_UNITS 0x1002
#define CL_DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define CL_DEVICE_MAX_MEM_ALLOC_SIZE 0x1010
#define CL_DEVICE_GLOBAL_MEM_SIZE 0x101F
#define CL_DEVICE_LOCAL_MEM_SIZE 0x1023
#define CL_DEVICE_AVAILABLE 0x1027
#define CL_DEVICE_COMPILER_AVAILABLE 0x1028
#define CL_DEVICE_NAME 0x102B
#define CL_DEVICE_VENDOR 0x102C
#define CL_DRIVER_VERSION 0x102D
#define CL_DEVICE_VERSION 0x102F
#define CL_DEVICE_EXTENSIONS 0x1030
#define CL_DEVICE_PLATFORM 0x1031
#define CL_DEVICE_DOUBLE_FP_CONFIG 0x1032
#define CL_DEVICE_OPENCL_C_VERSION 0x103D
#define CL_FP_DENORM (1 << 0)
#define CL_FP_ROUND_TO_NEAREST (1 << 2)

#define CL_QUEUE_PROFILING_ENABLE (1 << 1)
#define CL_QUEUE_CONTEXT 0x1090
#define CL_QUEUE_DEVICE 0x1091
#define CL_MEM_READ_WRITE (1 << 0)
#define CL_MEM_SIZE 0x1102
#define CL_MEM_CONTEXT 0x1106
#define CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED (1 << 1)
#define CL_PROGRAM_BINARY_SIZES 0x1165
#define CL_PROGRAM_BINARIES 0x1166
#define CL_PROGRAM_BUILD_LOG 0x1183
#define CL_KERNEL_PROGRAM 0x1194
#define CL_KERNEL_WORK_GROUP_SIZE 0x11B0
#define CL_KERNEL_LOCAL_MEM_SIZE 0x11B2
#define CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x11B3
#define CL_COMPLETE 0x0
#define CL_EVENT_COMMAND_EXECUTION_STATUS 0x11D3
#define CL_PROFILING_COMMAND_START 0x1282
#define CL_PROFILING_COMMAND_END 0x1283

/* ---- every function: X(what it returns, its name, its arguments) */
#define COMBGPU_CL_FUNCTIONS(X)                                                                    \
    X(cl_int, GetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                              \
    X(cl_int, GetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))                \
    X(cl_int, GetDeviceIDs, (cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *))  \
    X(cl_int, GetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                    \
    X(cl_context, CreateContext,                                                                   \
      (const cl_context_properties *, cl_uint, const cl_device_id *,                               \
       void(COMBGPU_CL_CALL *)(const char *, const void *, size_t, void *), void *, cl_int *))     \
    X(cl_int, RetainContext, (cl_context))                                                         \
    X(cl_int, ReleaseContext, (cl_context))                                                        \
    X(cl_command_queue, CreateCommandQueue,                                                        \
      (cl_context, cl_device_id, cl_command_queue_properties, cl_int *))                           \
    X(cl_int, GetCommandQueueInfo, (cl_command_queue, cl_uint, size_t, void *, size_t *))          \
    X(cl_int, ReleaseCommandQueue, (cl_command_queue))                                             \
    X(cl_mem, CreateBuffer, (cl_context, cl_mem_flags, size_t, void *, cl_int *))                  \
    X(cl_int, GetMemObjectInfo, (cl_mem, cl_uint, size_t, void *, size_t *))                       \
    X(cl_int, ReleaseMemObject, (cl_mem))                                                          \
    X(void *, GetExtensionFunctionAddressForPlatform, (cl_platform_id, const char *))              \
    X(cl_program, CreateProgramWithBinary,                                                         \
      (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **,          \
       cl_int *, cl_int *))                                                                        \
    X(cl_int, GetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))                     \
    X(cl_program, CreateProgramWithSource,                                                         \
      (cl_context, cl_uint, const char **, const size_t *, cl_int *))                              \
    X(cl_int, BuildProgram,                                                                        \
      (cl_program, cl_uint, const cl_device_id *, const char *,                                    \
       void(COMBGPU_CL_CALL *)(cl_program, void *), void *))                                       \
    X(cl_int, GetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))  \
    X(cl_int, RetainProgram, (cl_program))                                                         \
    X(cl_int, ReleaseProgram, (cl_program))                                                        \
    X(cl_kernel, CreateKernel, (cl_program, const char *, cl_int *))                               \
    X(cl_int, SetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                            \
    X(cl_int, GetKernelInfo, (cl_kernel, cl_uint, size_t, void *, size_t *))                       \
    X(cl_int, GetKernelWorkGroupInfo,                                                              \
      (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                                \
    X(cl_int, ReleaseKernel, (cl_kernel))                                                          \
    X(cl_int, EnqueueNDRangeKernel,                                                                \
      (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,       \
       cl_uint, const cl_event *, cl_event *))                                                     \
    X(cl_int, EnqueueReadBuffer,                                                                   \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,       \
       cl_event *))                                                                                \
    X(cl_int, EnqueueWriteBuffer,                                                                  \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, \
       cl_event *))                                                                                \
    X(cl_int, EnqueueCopyBuffer,                                                                   \
      (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,        \
       cl_event *))                                                                                \
    X(cl_int, EnqueueFillBuffer,                                                                   \
      (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *,  \
       cl_event *))                                                                                \
    X(cl_int, EnqueueMigrateMemObjects,                                                            \
      (cl_command_queue, cl_uint, const cl_mem *, cl_mem_migration_flags, cl_uint,                 \
       const cl_event *, cl_event *))                                                              \
    X(cl_int, EnqueueMarkerWithWaitList,                                                           \
      (cl_command_queue, cl_uint, const cl_event *, cl_event *))                                   \
    X(cl_int, EnqueueBarrierWithWaitList,                                                          \
      (cl_command_queue, cl_uint, const cl_event *, cl_event *))                                   \
    X(cl_int, Flush, (cl_command_queue))                                                           \
    X(cl_int, Finish, (cl_command_queue))                                                          \
    X(cl_int, WaitForEvents, (cl_uint, const cl_event *))                                          \
    X(cl_int, GetEventInfo, (cl_event, cl_uint, size_t, void *, size_t *))                         \
    X(cl_int, GetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))                \
    X(cl_int, ReleaseEvent, (cl_event))

typedef struct combgpu_cl_functions {
#define COMBGPU_CL_POINTER(RETURN, NAME, ARGUMENTS) RETURN(COMBGPU_CL_CALL *NAME) ARGUMENTS;
    COMBGPU_CL_FUNCTIONS(COMBGPU_CL_POINTER)
#undef COMBGPU_CL_POINTER
} combgpu_cl_functions;

static combgpu_cl_functions combgpu_cl;
static int combgpu_cl_complete; /* 0 where there is no OpenCL 1.2 */

/* ---- loading, once */

/* Stores the address of function `name` at *function. Returns 0 if the library has none. */
static int combgpu_cl_find(void *library, const char *name, void *function)
{
#ifdef _WIN32
    FARPROC found = GetProcAddress((HMODULE)library, name);
#else
    void *found = dlsym(library, name);
#endif
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void combgpu_cl_load(void)
{
    int found = 1;
#ifdef _WIN32
    void *library = (void *)LoadLibraryA("OpenCL.dll");
#else
    void *library = dlopen(NULL, RTLD_NOW); /* the program's own, or one that is preloaded */
    if (library && !dlsym(library, "clGetPlatformIDs")) library = NULL;
#ifdef __APPLE__
    if (!library) library = dlopen("/System/Library/Frameworks/OpenCL.framework/OpenCL", RTLD_NOW);
#endif
    if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library) library = dlopen("libOpenCL.so", RTLD_NOW);
#endif
    if (!library) return;
#define COMBGPU_CL_FIND(RETURN, NAME, ARGUMENTS)                                                   \
    found &= combgpu_cl_find(library, "cl" #NAME, (void *)&combgpu_cl.NAME);
    COMBGPU_CL_FUNCTIONS(COMBGPU_CL_FIND)
#undef COMBGPU_CL_FIND
    combgpu_cl_complete = found;
}

#ifdef _WIN32
static BOOL CALLBACK combgpu_cl_load_once(PINIT_ONCE once, PVOID argument, PVOID *context)
{
    (void)once, (void)argument, (void)context;
    combgpu_cl_load();
    return TRUE;
}
#endif

/* Every use of OpenCL begins here. */
static cl_int clGetPlatformIDs(cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
#ifdef _WIN32
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, combgpu_cl_load_once, NULL, NULL);
#else
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, combgpu_cl_load);
#endif
    if (!combgpu_cl_complete) return CL_PLATFORM_NOT_FOUND_KHR;
    return combgpu_cl.GetPlatformIDs(capacity, platforms, count);
}

#define clGetPlatformInfo combgpu_cl.GetPlatformInfo
#define clGetDeviceIDs combgpu_cl.GetDeviceIDs
#define clGetDeviceInfo combgpu_cl.GetDeviceInfo
#define clCreateContext combgpu_cl.CreateContext
#define clRetainContext combgpu_cl.RetainContext
#define clReleaseContext combgpu_cl.ReleaseContext
#define clCreateCommandQueue combgpu_cl.CreateCommandQueue
#define clGetCommandQueueInfo combgpu_cl.GetCommandQueueInfo
#define clReleaseCommandQueue combgpu_cl.ReleaseCommandQueue
#define clCreateBuffer combgpu_cl.CreateBuffer
#define clGetMemObjectInfo combgpu_cl.GetMemObjectInfo
#define clReleaseMemObject combgpu_cl.ReleaseMemObject
#define clCreateProgramWithSource combgpu_cl.CreateProgramWithSource
#define clCreateProgramWithBinary combgpu_cl.CreateProgramWithBinary
#define clGetExtensionFunctionAddressForPlatform combgpu_cl.GetExtensionFunctionAddressForPlatform
#define clGetProgramInfo combgpu_cl.GetProgramInfo
#define clBuildProgram combgpu_cl.BuildProgram
#define clGetProgramBuildInfo combgpu_cl.GetProgramBuildInfo
#define clRetainProgram combgpu_cl.RetainProgram
#define clReleaseProgram combgpu_cl.ReleaseProgram
#define clCreateKernel combgpu_cl.CreateKernel
#define clSetKernelArg combgpu_cl.SetKernelArg
#define clGetKernelInfo combgpu_cl.GetKernelInfo
#define clGetKernelWorkGroupInfo combgpu_cl.GetKernelWorkGroupInfo
#define clReleaseKernel combgpu_cl.ReleaseKernel
#define clEnqueueNDRangeKernel combgpu_cl.EnqueueNDRangeKernel
#define clEnqueueReadBuffer combgpu_cl.EnqueueReadBuffer
#define clEnqueueWriteBuffer combgpu_cl.EnqueueWriteBuffer
#define clEnqueueCopyBuffer combgpu_cl.EnqueueCopyBuffer
#define clEnqueueFillBuffer combgpu_cl.EnqueueFillBuffer
#define clEnqueueMigrateMemObjects combgpu_cl.EnqueueMigrateMemObjects
#define clEnqueueMarkerWithWaitList combgpu_cl.EnqueueMarkerWithWaitList
#define clEnqueueBarrierWithWaitList combgpu_cl.EnqueueBarrierWithWaitList
#define clFlush combgpu_cl.Flush
#define clFinish combgpu_cl.Finish
#define clWaitForEvents combgpu_cl.WaitForEvents
#define clGetEventInfo combgpu_cl.GetEventInfo
#define clGetEventProfilingInfo combgpu_cl.GetEventProfilingInfo
#define clReleaseEvent combgpu_cl.ReleaseEvent

#endif
