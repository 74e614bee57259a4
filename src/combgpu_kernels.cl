#include "kernel/about.cl"

#ifndef COMBGPU_KERNELS_CL
#define COMBGPU_KERNELS_CL

#include "kernel/dialect.cl"

#include "engine/slice.h"

#include "kernel/slice.cl"

#include "each/callers.cl"

#endif /* COMBGPU_KERNELS_CL */

/* The kernels. In CUDA only the file with COMBGPU_IMPLEMENTATION has them; the inline functions and
   the template above cost a file nothing until it uses them. */
#if !defined(COMBGPU__KERNELS) && (!defined(__CUDACC__) || defined(COMBGPU__IMPLEMENTED))
#define COMBGPU__KERNELS

#include "kernel/group.cl"

/* ---------------------------------------------------------------------------------- PROBE */
/* The self-test of the operations above (combgpu__backend_self_test): a task is a number; lanes
   hash it and exchange the results, and a record holds it with their sum. */
#if defined(COMBGPU_KERNELS_PROBE) || defined(__CUDACC__)

#include "backend/probe.cl"

#endif /* PROBE */

#include "each/room.cl"

#endif /* COMBGPU__KERNELS */
