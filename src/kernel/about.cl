/* combgpu_kernels.cl - the device kernels of combgpu, one source for OpenCL C 1.2 and CUDA C++11.

   Each kernel is a worker's slice of a search (combgpu.h, SECTION 11): take tasks, count, emit
   records, give back what is left. The C solvers in combgpu.h do the same on the CPU and were written
   separately, so that each checks the other.

   THE DIALECT (upper case, defined here, undefined at the end in CUDA builds)
     types       u8 u16 u32 u64 i32 i64
     qualifiers  KERNEL, or KERNEL_BLOCKS(lanes, blocks) for so many blocks on a multiprocessor;
                 DEVICE (function), GLOBAL, LOCAL, LOCAL_ARRAY (declaration in a kernel)
     ids         LANE_ID (in the block), BLOCK_ID, BLOCK_LANES, BLOCK_COUNT, BLOCK_BARRIER(),
                 LOCAL_BARRIER() (for local memory alone; on NVIDIA's OpenCL much cheaper)
     bits        POPCOUNT(x) of u32, CLZ(x) of u32 (32 at 0), CTZ(x) of u32 (x != 0)
     atomics     ATOMIC_ADD, ATOMIC_OR, ATOMIC_MIN on GLOBAL u32 *, LOCAL_ATOMIC_ADD and _OR on LOCAL
     slices      SLICE_ARGUMENTS, combgpu_spent, _take, _give, _emit, _add_total
     groups      4, 8 or 32 lanes that share a task: see GROUP OPERATIONS below

   After a change to this file run tests/embed_kernels.sh: combgpu_cl.c carries a copy. */

