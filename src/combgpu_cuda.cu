/* combgpu_cuda.cu - the CUDA backend of combgpu. Included by combgpu.h (SECTION 12) when
   COMBGPU_CUDA is defined; compile with nvcc -x cu, CUDA 10.2 or later, C++11 or later.
   combgpu_kernels.cl, which combgpu.h includes, must lie beside this file.

   A call on a context makes its device the current one of the calling thread, and leaves it so. All
   work goes to a stream of the context's own. Memory is plain device memory, copied explicitly: no
   managed memory, which Jetson boards cannot share with a running kernel. */

#ifndef COMBGPU__IMPLEMENTED
#error "combgpu_cuda.cu is included by combgpu.h: define COMBGPU_CUDA and include that"
#endif
#ifndef __CUDACC__
#error "COMBGPU_CUDA needs nvcc: compile with nvcc -x cu -DCOMBGPU_CUDA, or leave it out"
#endif

#include <cuda_runtime.h>

#include "backend/cuda.cu"
