#include "tsp/layout.h"

#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU__HAS_TSP)

#include "tsp/table/brute.cl"

#include "tsp/table/held_karp.cl"

#include "tsp/batch/costs.cl"

#include "tsp/batch/solve.cl"

#include "tsp/shortest/list.cl"

#include "tsp/shortest/solve.cl"

#endif /* TSP */

#if defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)

#include "tsp/branch/fix.cl"

#include "tsp/branch/tree.cl"

#include "tsp/branch/node.cl"

#include "tsp/branch/solve.cl"

#endif /* BRANCH */
