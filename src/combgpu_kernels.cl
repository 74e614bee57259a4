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

#include "perm/rank.cl"

#include "perm/family.cl"

#include "perm/visit.cl"

#endif /* PERM */

#if defined(COMBGPU_KERNELS_SEARCH) || defined(COMBGPU__HAS_PERM)

#include "perm/search.cl"

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

#include "magic/search.cl"

#include "magic/join.cl"

#include "magic/list.cl"

#include "magic/join_ring.cl"

#include "magic/join_ring_sets.cl"

#include "magic/list_ring_images.cl"

#include "magic/join_ring_stages.cl"

#include "magic/join_ring_count.cl"

#include "magic/list_ring.cl"

#include "magic/four.cl"

#include "magic/semi.cl"

#endif /* MAGIC */

/* ---------------------------------------------------------------------------------- MAGIC6 */
#if defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

#include "magic/estimate.cl"

#include "magic/estimate_rest.cl"

#include "magic/estimate_arrange.cl"

#include "magic/estimate_join.cl"

#include "magic/estimate_samples.cl"

#include "magic/six_tables.cl"

#include "magic/six_share.cl"

#include "magic/six_join.cl"

#include "magic/six.cl"

#include "magic/ranks.cl"

#include "magic/ultra.cl"

#include "magic/associative.cl"

#endif /* MAGIC6 */

/* ---------------------------------------------------------------------------------- NO3 */
#if defined(COMBGPU_KERNELS_NO3) || defined(COMBGPU__HAS_NO3)

#include "no3/layout.h"

#include "no3/search.cl"

#include "no3/counts.cl"

#include "no3/orbit.cl"

#include "no3/solo.cl"

#include "no3/solo_step.cl"

#include "no3/solo_rows.cl"

#include "no3/matrix.cl"

#include "no3/square.cl"

#include "no3/square_step.cl"

#include "no3/plate.cl"

#include "no3/plate_fold.cl"

#include "no3/plate_half.cl"

#include "no3/plate_step.cl"

#endif /* NO3 */

/* ---------------------------------------------------------------------------------- PERM */
#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)

#include "perm/write.cl"

#include "perm/write_set.cl"

#include "perm/multiset.cl"

#endif /* PERM */

/* ---------------------------------------------------------------------------------- TSP */
#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)

#include "tsp/layout.h"

#endif /* TSP */

#if defined(COMBGPU_KERNELS_TSP) || defined(COMBGPU__HAS_TSP)

#include "tsp/brute.cl"

#include "tsp/held_karp.cl"

#include "tsp/batch_costs.cl"

#include "tsp/batch.cl"

#include "tsp/shortest_list.cl"

#include "tsp/shortest.cl"

#endif /* TSP */

/* ------------------------------------------------------------------------------- BRANCH */
#if defined(COMBGPU_KERNELS_BRANCH) || defined(COMBGPU__HAS_TSP)

#include "tsp/branch_fix.cl"

#include "tsp/branch_tree.cl"

#include "tsp/branch_node.cl"

#include "tsp/branch.cl"

#endif /* BRANCH */

#endif /* COMBGPU__KERNELS */
