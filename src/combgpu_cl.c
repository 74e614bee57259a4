/* combgpu_cl.c - the OpenCL 1.2 backend of combgpu. Included by combgpu.h (SECTION 12) when
   COMBGPU_OPENCL is defined; link with -lOpenCL. It carries the kernels' text, so that a program
   needs no file beside it. The environment variable COMBGPU_KERNELS_FILE, a path, replaces that
   text while developing. Programs are built kernel by kernel, when a search starts one; their binaries
   are kept by most drivers, else in the user's cache folder (opencl_cache.c).

   Devices are those of all platforms that are available, have a compiler and offer OpenCL C 1.2 or
   later: first all GPUs, then all others, each in the order of the platforms and of their devices.
   At most COMBGPU__CL_DEVICES are seen.

   Lanes share a task through shuffles on NVIDIA's platform, in sub-groups of other GPUs that have
   shuffles; elsewhere through local memory in work-groups of one worker (combgpu_kernels.cl, GROUP
   OPERATIONS). */

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

#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#endif

COMBGPU__COLD_BEGIN
#include "backend/opencl_signals.c"

#include "backend/opencl_device.c"

#include "backend/opencl_cache.c"

#include "backend/opencl_program.c"

#include "backend/opencl.c"
COMBGPU__COLD_END

/* ---- the text of combgpu_kernels.cl, inserted by src/amalgamate */
#include "kernel_text.inc"

COMBGPU__PRIVATE const char *const *combgpu__cl_text(size_t *lines)
{
    *lines = sizeof combgpu__kernel_text / sizeof combgpu__kernel_text[0];
    return combgpu__kernel_text;
}
