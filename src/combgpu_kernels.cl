#include "kernel/about.cl"

#ifndef COMBGPU_KERNELS_CL
#define COMBGPU_KERNELS_CL

#include "kernel/dialect.cl"

#include "engine/slice.h"

#include "kernel/slice.cl"

/* ------------------------------------------------------- PERM, for callers' kernels and visitors */
#if defined(COMBGPU__HAS_PERM) || defined(COMBGPU_KERNELS_PERM) ||                                 \
    defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU_KERNELS_SEARCH)

#include "perm/layout.h"

#endif /* PERM */

#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

#include "perm/ranks/rank.cl"

#include "perm/set/walk.cl"

#include "perm/visit/visit.cl"

#endif /* PERM */

#if defined(COMBGPU_KERNELS_SEARCH) || defined(COMBGPU__HAS_PERM)

#include "perm/search/solve.cl"

#endif /* PERM */

#endif /* COMBGPU_KERNELS_CL */

/* The kernels. In CUDA they belong to the file with COMBGPU_IMPLEMENTATION alone: what stands above
   are inline functions and a template, which cost a file nothing until it uses them. */
#if !defined(COMBGPU__KERNELS) && (!defined(__CUDACC__) || defined(COMBGPU__IMPLEMENTED))
#define COMBGPU__KERNELS

#include "kernel/group.cl"

/* ---------------------------------------------------------------------------------- PROBE */
/* The self-test of the operations above (combgpu__backend_self_test): a task is a number; lanes hash
   it and exchange what they got, and a record holds it with a sum of it all. */
#if defined(COMBGPU_KERNELS_PROBE) || defined(__CUDACC__)

#include "backend/probe.cl"

#endif /* PROBE */

/* ---------------------------------------------------------------------------------- MAGIC */
#if defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

#include "magic/layout.h"

#endif /* MAGIC */

#if defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU__HAS_MAGIC)

#include "magic/cells/search.cl"

#include "magic/five/join.cl"

#include "magic/five/list.cl"

#include "magic/five/join_ring.cl"

#include "magic/five/join_ring_sets.cl"

#include "magic/five/list_ring_images.cl"

#include "magic/five/join_ring_stages.cl"

#include "magic/five/join_ring_count.cl"

#include "magic/five/list_ring.cl"

#include "magic/cells/four.cl"

#include "magic/five/semi.cl"

#endif /* MAGIC */

/* ---------------------------------------------------------------------------------- MAGIC6 */
#if defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

#include "magic/estimate/draw.cl"

#include "magic/estimate/rest.cl"

#include "magic/estimate/arrange.cl"

#include "magic/estimate/join.cl"

#include "magic/estimate/samples.cl"

#include "magic/six/tables.cl"

#include "magic/six/share.cl"

#include "magic/six/join.cl"

#include "magic/six/solve.cl"

#include "magic/cells/ranks.cl"

#include "magic/seven/ultra.cl"

#include "magic/seven/associative.cl"

#endif /* MAGIC6 */

/* ---------------------------------------------------------------------------------- NO3 */
#if defined(COMBGPU_KERNELS_NO3) || defined(COMBGPU__HAS_NO3)

#include "no3/layout.h"

#include "no3/forms/search.cl"

#include "no3/forms/counts.cl"

#include "no3/forms/orbit.cl"

#include "no3/forms/solo.cl"

#include "no3/forms/solo_step.cl"

#include "no3/forms/solo_rows.cl"

#include "no3/forms/matrix.cl"

#include "no3/forms/square.cl"

#include "no3/forms/square_step.cl"

#include "no3/forms/plate.cl"

#include "no3/forms/plate_fold.cl"

#include "no3/forms/plate_half.cl"

#include "no3/forms/plate_step.cl"

#endif /* NO3 */

/* ---------------------------------------------------------------------------------- PERM */
#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

#include "perm/write/write.cl"

#include "perm/set/write.cl"

#include "perm/set/multiset.cl"

#endif /* PERM */

/* ---------------------------------------------------------------------------------- TSP */
#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)

#include "tsp/layout.h"

#endif /* TSP */

#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU__HAS_TSP)

#include "tsp/table/brute.cl"

#include "tsp/table/held_karp.cl"

#include "tsp/batch/costs.cl"

#include "tsp/batch/solve.cl"

#include "tsp/shortest/list.cl"

#include "tsp/shortest/solve.cl"

#endif /* TSP */

/* ------------------------------------------------------------------------------- BRANCH */
#if defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)

#include "tsp/branch/fix.cl"

#include "tsp/branch/tree.cl"

#include "tsp/branch/node.cl"

#include "tsp/branch/solve.cl"

#endif /* BRANCH */

#endif /* COMBGPU__KERNELS */
