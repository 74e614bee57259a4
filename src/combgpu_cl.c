/* combgpu_cl.c - the OpenCL 1.2 backend of combgpu. Included by combgpu.h (SECTION 12) when
   COMBGPU_OPENCL is defined; link with -lOpenCL. It carries the kernels' text, so that a program
   needs no file beside it. The environment variable COMBGPU_KERNELS_FILE, a path, replaces that
   text while developing.

   Devices are those of all platforms that are available, have a compiler and offer OpenCL C 1.2 or
   later: first all GPUs, then all others, each in the order of the platforms and of their devices.
   At most COMBGPU__CL_DEVICES are seen.

   Lanes share a task through shuffles on NVIDIA's platform; elsewhere through local memory in
   work-groups of one worker (combgpu_kernels.cl, GROUP OPERATIONS). */

#ifndef COMBGPU__IMPLEMENTED
#error "combgpu_cl.c is included by combgpu.h: define COMBGPU_OPENCL and include that"
#endif

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define COMBGPU__CL_PLATFORMS 16
#define COMBGPU__CL_DEVICES 64

/* A part of the kernel text that has been built; a context keeps each until it is closed. */
typedef struct combgpu__cl_program {
    struct combgpu__cl_program *next;
    char part[32];
    cl_program program;
} combgpu__cl_program;

/* An open device: ctx->handle. */
typedef struct combgpu__cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    combgpu__cl_program *programs;
} combgpu__cl;

/* What prepare returns. */
typedef struct combgpu__cl_kernel {
    cl_kernel kernel;
    size_t block;   /* work-group size */
    cl_event event; /* of the slice that runs */
    double began;
} combgpu__cl_kernel;

/* The lines of combgpu_kernels.cl, at the end of this file. */
COMBGPU__PRIVATE const char *const *combgpu__cl_text(size_t *lines);

#include "backend/opencl_device.c"
#include "backend/opencl_program.c"
#include "backend/opencl.c"
#include "kernel/text_begin.c"
#include "kernel_text.inc"
#include "kernel/text_end.c"
