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

#include "magic/core/about.c"

#include "magic/core/job.c"

#include "magic/core/lines.c"

#include "magic/core/validate.c"

#include "magic/core/deliver.c"

#include "magic/five/join.c"

#include "magic/five/join_avx512.c"

#include "magic/five/join_list.c"

#include "magic/five/join_given.c"

#include "magic/five/semi.c"

#include "magic/cells/search.c"

#include "magic/cells/linear_plan.c"

#include "magic/cells/linear_tables.c"

#include "magic/cells/linear.c"

#include "magic/cells/four.c"

#include "magic/seven/ultra.c"

#include "magic/seven/ultra_tables.c"

#include "magic/seven/associative_tables.c"

#include "magic/seven/associative.c"

#include "magic/check/rarer.c"

#include "magic/check/properties.c"

#include "magic/check/bimagic.c"

#include "magic/check/construct.c"

#include "magic/check/forms.c"

#include "magic/estimate/plan.c"

#include "magic/estimate/draw.c"

#include "magic/estimate/arrange.c"

#include "magic/estimate/solve.c"

#include "magic/estimate/linear.c"

#include "magic/estimate/lift.c"

#include "magic/estimate/job.c"

#include "magic/six/diagonals.c"

#include "magic/six/tables.c"

#include "magic/six/join.c"

#include "magic/six/job.c"

#include "magic/begin_end.c"

#include "magic/list.c"

#include "magic/self_test.c"

#endif /* COMBGPU__HAS_MAGIC */

#ifdef COMBGPU__HAS_NO3

#include "no3/geometry/board.c"

#include "no3/model/about.c"

#include "no3/model/state.c"

#include "no3/model/lines.c"

#include "no3/model/large.c"

#include "no3/forms/rows.c"

#include "no3/forms/plate.c"

#include "no3/forms/solo.c"

#include "no3/forms/pairs.c"

#include "no3/forms/step.c"

#include "no3/forms/task.c"

#include "no3/forms/solve.c"

#include "no3/forms/solve512.c"

#include "no3/forms/solve512_wide.c"

#include "no3/forms/solver.c"

#include "no3/search/frontier.c"

#include "no3/search/random_walk.c"

#include "no3/search/random.c"

#include "no3/search/record.c"

#include "no3/search/random_hold.c"

#include "no3/begin_end.c"

#include "no3/text/board.c"

#include "no3/text/svg.c"

#include "no3/text/dimacs.c"

#include "no3/self_test.c"

#endif /* COMBGPU__HAS_NO3 */

#ifdef COMBGPU__HAS_PERM

#include "perm/layout.h"

#include "perm/ranks/u128.c"

#include "perm/ranks/rank.c"

#include "perm/ranks/random.c"

#include "perm/write/write.c"

#include "perm/write/simd.c"

#include "perm/set/tree.c"

#include "perm/set/rank.c"

#include "perm/set/walk.c"

#include "perm/visit/state.c"

#include "perm/visit/validate.c"

#include "perm/visit/tables.c"

#include "perm/visit/multiset.c"

#include "perm/visit/solve.c"

#include "perm/visit/collect.c"

#include "perm/visit/begin_end.c"

#include "perm/search/state.c"

#include "perm/search/solve.c"

#include "perm/search/collect.c"

#include "perm/search/check.c"

#include "perm/search/begin_end.c"

#include "perm/self_test.c"

#endif /* COMBGPU__HAS_PERM */

#ifdef COMBGPU__HAS_TSP

#include "tsp/layout.h"

#include "tsp/instance/metric.c"

#include "tsp/instance/weights.c"

#include "tsp/instance/sum.c"

#include "tsp/instance/terms.c"

#include "tsp/instance/state.c"

#include "tsp/instance/form.c"

#include "tsp/instance/make.c"

#include "tsp/instance/before.c"

#include "tsp/instance/fixed.c"

#include "tsp/instance/tour.c"

#include "tsp/instance/label.c"

#include "tsp/instance/svg.c"

#include "tsp/tsplib/text.c"

#include "tsp/tsplib/nodes.c"

#include "tsp/tsplib/windows.c"

#include "tsp/tsplib/tour.c"

#include "tsp/tsplib/file.c"

#include "tsp/table/brute.c"

#include "tsp/table/held_karp.c"

#include "tsp/table/record.c"

#include "tsp/branch/data.c"

#include "tsp/branch/fix.c"

#include "tsp/branch/tree.c"

#include "tsp/branch/tour.c"

#include "tsp/branch/graph.c"

#include "tsp/branch/grain.c"

#include "tsp/branch/root.c"

#include "tsp/branch/lp.c"

#include "tsp/branch/factor.c"

#include "tsp/branch/simplex.c"

#include "tsp/branch/lp_rows.c"

#include "tsp/branch/separate.c"

#include "tsp/branch/tighten.c"

#include "tsp/branch/directed.c"

#include "tsp/branch/cut.c"

#include "tsp/branch/node.c"

#include "tsp/branch/job.c"

#include "tsp/branch/begin_end.c"

#include "tsp/sop/form.c"

#include "tsp/sop/tour.c"

#include "tsp/sop/bound.c"

#include "tsp/sop/ascend.c"

#include "tsp/sop/history.c"

#include "tsp/sop/node.c"

#include "tsp/sop/job.c"

#include "tsp/large/state.c"

#include "tsp/large/near.c"

#include "tsp/large/tree.c"

#include "tsp/large/bound.c"

#include "tsp/large/first.c"

#include "tsp/large/tour.c"

#include "tsp/large/arcs.c"

#include "tsp/large/kick.c"

#include "tsp/large/job.c"

#include "tsp/large/begin_end.c"

#include "tsp/shortest/solve.c"

#include "tsp/shortest/job.c"

#include "tsp/window/solve.c"

#include "tsp/window/label.c"

#include "tsp/window/answer.c"

#include "tsp/window/reason.c"

#include "tsp/window/job.c"

#include "tsp/batch/check.c"

#include "tsp/batch/load.c"

#include "tsp/batch/points.c"

#include "tsp/batch/tables.c"

#include "tsp/batch/lanes.c"

#include "tsp/batch/solve.c"

#include "tsp/batch/cut.c"

#include "tsp/batch/branch.c"

#include "tsp/batch/large.c"

#include "tsp/batch/nodes.c"

#include "tsp/batch/nodes_solve.c"

#include "tsp/batch/job.c"

#include "tsp/begin_end.c"

#include "tsp/self_test.c"

#endif /* COMBGPU__HAS_TSP */

#include "api/self_test.c"

#endif /* COMBGPU_IMPLEMENTATION */
