/* ---- the kernel text */

/* combgpu_kernels.cl, put here by tests/embed_kernels.sh: run it after every change to that file,
   and to solve a merge conflict in this block. */
/* BEGIN OF THE GENERATED BLOCK */
