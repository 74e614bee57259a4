#include "api/about.h"

/* Strict -std=c99 hides clock_gettime and fsync unless this is asked for before a system header; on macOS and the
   BSDs nothing is hidden, but this would hide what POSIX lacks. */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) &&       \
    !defined(__APPLE__) && !defined(__FreeBSD__) && !defined(__NetBSD__) &&                        \
    !defined(__OpenBSD__) && !defined(__DragonFly__)
#define _POSIX_C_SOURCE 200809L
#endif

#ifndef COMBGPU_H
#define COMBGPU_H

#include <math.h> /* HUGE_VAL */
#include <stddef.h>
#include <stdint.h>

#include "api/common.h"

#ifdef COMBGPU__HAS_MAGIC
#include "api/magic.h"
#endif

#ifdef COMBGPU__HAS_NO3
#include "api/no3.h"
#endif

#ifdef COMBGPU__HAS_PERM
#include "api/perm.h"

#include "api/perm_search.h"
#endif

#ifdef COMBGPU__HAS_TSP
#include "api/tsp.h"
#endif

#ifdef __cplusplus
} /* extern "C", which api/common.h opens */
#endif

#include "api/simd.h"

#ifdef COMBGPU__HAS_PERM
#include "api/visitor.h"

#include "api/searcher.h"
#endif

#endif /* COMBGPU_H */

/* ################################################################################################
   ##  IMPLEMENTATION
   ################################################################################################
 */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(COMBGPU__IMPLEMENTED)
#define COMBGPU__IMPLEMENTED

#include "base/prologue.h"

#include "base/threads.h"

#include "base/base.h"

#include "base/context.h"

#include "base/memory.c"

#include "base/arena.c"

#include "base/message.c"

#include "base/platform.c"

#include "base/threads.c"

#include "base/file.c"

#include "base/reader.c"

#include "base/math.c"

#include "base/bits.c"

#include "base/words.c"

#include "base/simd.c"

#include "engine/slice.h"

#include "engine/problem.h"

#include "backend/backend.h"

#include "engine/job.h"

#include "engine/job.c"

#include "engine/check.c"

#include "engine/reserve.c"

#include "engine/records.c"

#include "engine/worker.c"

#include "engine/device.c"

#include "engine/pool.c"

#include "engine/slice.c"

#include "engine/devices.c"

#include "engine/checkpoint.c"

#include "engine/snapshot.c"

/* ---- checkpoint files: written beside the old one, locked, damaged ones give way to .bak */

#ifdef COMBGPU__FILES

#include "engine/checkpoint_guard.c"

#include "engine/file.c"

#include "engine/merge.c"

#else /* no files here */

#include "engine/no_files.c"

#endif

#include "engine/recover.c"

#include "engine/verify.c"

#include "engine/round.c"

#include "engine/save.c"

#include "engine/report.c"

#include "engine/sample.c"

#include "engine/progress.c"

#include "engine/step.c"

#include "engine/estimate.c"

#include "engine/begin_end.c"

#include "backend/cpu.c"

#ifdef COMBGPU_CUDA
#include "combgpu_kernels.cl"
#endif

#include "backend/kernels.h"

#ifdef COMBGPU__HAS_MAGIC

#include "magic/kernels.h"

#endif
#ifdef COMBGPU__HAS_NO3

#include "no3/layout.h"

#include "no3/kernels.h"

#endif
#ifdef COMBGPU__HAS_PERM

#include "perm/kernels.h"

#endif
#ifdef COMBGPU__HAS_TSP

#include "tsp/kernels.h"

#endif

#include "kernel/list.c"

/* ---- the sidecars define combgpu__cuda and combgpu__opencl */
#ifdef COMBGPU_CUDA
#include "combgpu_cuda.cu"
#endif
#ifdef COMBGPU_OPENCL
#include "combgpu_cl.c"
#endif

#include "backend/context.c"

#include "backend/memory.c"

#include "backend/probe.c"

#ifdef COMBGPU__HAS_MAGIC

#include "magic/layout.h"

#include "magic/about.c"

#include "magic/job.c"

#include "magic/lines.c"

#include "magic/validate.c"

#include "magic/search.c"

#include "magic/linear_plan.c"

#include "magic/linear_tables.c"

#include "magic/linear.c"

#include "magic/deliver.c"

#include "magic/join.c"

#include "magic/join_avx512.c"

#include "magic/join_list.c"

#include "magic/join_given.c"

#include "magic/four.c"

#include "magic/semi.c"

#include "magic/ultra.c"

#include "magic/ultra_tables.c"

#include "magic/associative_tables.c"

#include "magic/associative.c"

#include "magic/begin_end.c"

#include "magic/list.c"

#include "magic/check_more.c"

#include "magic/check.c"

#include "magic/construct_bimagic.c"

#include "magic/construct.c"

#include "magic/forms.c"

#include "magic/estimate_plan.c"

#include "magic/estimate_draw.c"

#include "magic/estimate_arrange.c"

#include "magic/estimate_solve.c"

#include "magic/estimate_linear.c"

#include "magic/estimate_lift.c"

#include "magic/estimate.c"

#include "magic/diagonals.c"

#include "magic/six_tables.c"

#include "magic/six_join.c"

#include "magic/diagonals_job.c"

#include "magic/self_test.c"

#endif /* COMBGPU__HAS_MAGIC */

#ifdef COMBGPU__HAS_NO3

#include "no3/about.c"

#include "no3/board.c"

#include "no3/model.c"

#include "no3/lines.c"

#include "no3/rows.c"

#include "no3/plate.c"

#include "no3/solo.c"

#include "no3/large.c"

#include "no3/pairs.c"

#include "no3/step.c"

#include "no3/task.c"

#include "no3/frontier.c"

#include "no3/random_walk.c"

#include "no3/random.c"

#include "no3/solve.c"

#include "no3/solve512.c"

#include "no3/solve512_wide.c"

#include "no3/solver.c"

#include "no3/record.c"

#include "no3/random_hold.c"

#include "no3/begin_end.c"

#include "no3/text.c"

#include "no3/svg.c"

#include "no3/dimacs.c"

#include "no3/self_test.c"

#endif /* COMBGPU__HAS_NO3 */

#ifdef COMBGPU__HAS_PERM

#include "perm/layout.h"

#include "perm/u128.c"

#include "perm/rank.c"

#include "perm/random.c"

#include "perm/write.c"

#include "perm/write_simd.c"

#include "perm/family.c"

#include "perm/family_rank.c"

#include "perm/family_walk.c"

#include "perm/state.c"

#include "perm/validate.c"

#include "perm/tables.c"

#include "perm/multiset.c"

#include "perm/solve.c"

#include "perm/collect.c"

#include "perm/begin_end.c"

#include "perm/search.c"

#include "perm/search_solve.c"

#include "perm/search_collect.c"

#include "perm/search_check.c"

#include "perm/search_begin_end.c"

#include "perm/self_test.c"

#endif /* COMBGPU__HAS_PERM */

#ifdef COMBGPU__HAS_TSP

#include "tsp/layout.h"

#include "tsp/metric.c"

#include "tsp/weights.c"

#include "tsp/sum.c"

#include "tsp/terms.c"

#include "tsp/state.c"

#include "tsp/form.c"

#include "tsp/brute.c"

#include "tsp/held_karp.c"

#include "tsp/record.c"

#include "tsp/instance.c"

#include "tsp/before.c"

#include "tsp/fixed.c"

#include "tsp/tsplib_text.c"

#include "tsp/tsplib_nodes.c"

#include "tsp/tsplib_windows.c"

#include "tsp/tsplib_tour.c"

#include "tsp/tsplib.c"

#include "tsp/tour.c"

#include "tsp/label.c"

#include "tsp/svg.c"

#include "tsp/branch.c"

#include "tsp/branch_fix.c"

#include "tsp/branch_tree.c"

#include "tsp/branch_tour.c"

#include "tsp/branch_graph.c"

#include "tsp/branch_grain.c"

#include "tsp/branch_root.c"

#include "tsp/branch_lp.c"
#include "tsp/branch_lp_rows.c"

#include "tsp/branch_separate.c"
#include "tsp/branch_directed.c"

#include "tsp/branch_cut.c"

#include "tsp/branch_node.c"

#include "tsp/branch_job.c"

#include "tsp/branch_begin_end.c"

#include "tsp/sop_form.c"

#include "tsp/sop_tour.c"

#include "tsp/sop_bound.c"

#include "tsp/sop_ascend.c"

#include "tsp/sop_history.c"

#include "tsp/sop_node.c"

#include "tsp/sop_job.c"

#include "tsp/large.c"

#include "tsp/large_near.c"

#include "tsp/large_tree.c"

#include "tsp/large_bound.c"

#include "tsp/large_first.c"

#include "tsp/large_tour.c"

#include "tsp/large_arcs.c"

#include "tsp/large_kick.c"

#include "tsp/large_job.c"

#include "tsp/large_begin_end.c"

#include "tsp/begin_end.c"

#include "tsp/shortest.c"

#include "tsp/shortest_job.c"

#include "tsp/window.c"
#include "tsp/window_reason.c"

#include "tsp/window_job.c"

#include "tsp/batch_check.c"

#include "tsp/batch_load.c"

#include "tsp/batch_points.c"

#include "tsp/batch_tables.c"

#include "tsp/batch_lanes.c"

#include "tsp/batch_solve.c"

#include "tsp/batch_cut.c"

#include "tsp/batch_branch.c"

#include "tsp/batch_large.c"

#include "tsp/batch_nodes.c"

#include "tsp/batch_nodes_solve.c"

#include "tsp/batch.c"

#include "tsp/self_test.c"

#endif /* COMBGPU__HAS_TSP */

#include "api/self_test.c"

#endif /* COMBGPU_IMPLEMENTATION */
