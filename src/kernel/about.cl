/* combgpu_kernels.cl - the device kernels of combgpu, one source for OpenCL C 1.2 and CUDA C++11.

   Each kernel is a worker's slice of a search: it takes tasks, counts, emits records and spills
   unfinished tasks. The C solvers in combgpu.h do the same on the CPU and were written separately,
   so each checks the other.

   THE DIALECT. Upper-case names carry the prefix COMBGPU__, which this list leaves out.
     types       those of stdint.h
     qualifiers  KERNEL, or KERNEL_BLOCKS(lanes, blocks): `blocks` fit on a multiprocessor;
                 DEVICE (function), DEVICE_APART (a large one), GLOBAL, LOCAL, LOCAL_ARRAY
                 (declaration in a kernel)
     ids         LANE_ID (in the block), BLOCK_ID, BLOCK_LANES, BLOCK_COUNT
     barriers    BLOCK_BARRIER(), LOCAL_BARRIER() (orders local memory alone; much cheaper with
                 NVIDIA's OpenCL)
     bits        POPCOUNT(x), CLZ(x) (32 for x = 0), CTZ(x) (x != 0) of uint32_t
     atomics     ATOMIC_ADD, ATOMIC_OR, ATOMIC_MIN on GLOBAL uint32_t *, LOCAL_ATOMIC_ADD, _OR and
                 _CAS on LOCAL
     slices      SLICE_ARGUMENTS; combgpu_spent, _take, _give, _emit, _add_total
     groups      4, 8 or 32 lanes that share a task: see GROUP OPERATIONS below */
