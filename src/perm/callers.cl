/* The parts of permutations that callers' kernels, visitors and callbacks use. */
#include "perm/layout.h"

#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

#include "perm/ranks/rank.cl"

#include "perm/set/walk.cl"

#include "perm/visit/visit.cl"

#endif

#if defined(COMBGPU_KERNELS_SEARCH) || defined(COMBGPU__HAS_PERM)

#include "perm/search/leaf.cl"

#include "perm/search/solve.cl"

#endif
