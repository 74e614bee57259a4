// Compiles the host's side of the CUDA backend as C++ with the headers of any CUDA release, without nvcc, whose
// built-in names it declares. Never linked (cuda_old.sh).
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#define __CUDACC__
#define __launch_bounds__(...)
#define asm(...) // PTX

#define DEVICE(type, name)       \
    template <class... Arguments> \
    type name(Arguments...)
DEVICE(int, __popc);
DEVICE(int, __clz);
DEVICE(unsigned, atomicAdd);
DEVICE(unsigned, atomicOr);
DEVICE(unsigned, atomicMin);
DEVICE(unsigned, atomicCAS);
DEVICE(unsigned, __shfl_sync);
DEVICE(unsigned, __shfl_xor_sync);
DEVICE(unsigned, __brev);
DEVICE(unsigned, __ballot_sync);
DEVICE(double, __dadd_rn);
DEVICE(double, __dmul_rn);
DEVICE(double, __ddiv_rn);
DEVICE(double, __dsqrt_rn);
DEVICE(double, __longlong_as_double);
DEVICE(long long, __double_as_longlong);
DEVICE(unsigned, min);
DEVICE(unsigned, max);
DEVICE(unsigned long long, __umul64hi);
void __syncthreads();
void __threadfence();
void __syncwarp(unsigned = ~0u);

#define COMBGPU_CUDA
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"
