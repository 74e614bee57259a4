/* Golomb rulers: the list of kernels; the solver runs on the CPU alone. */
#define COMBGPU__GOLOMB_KERNELS(PLAIN, SHARED, CALLERS)
