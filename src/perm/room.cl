#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

#include "perm/write/write.cl"

#include "perm/set/write.cl"

#include "perm/set/multiset.cl"

#endif /* PERM */
