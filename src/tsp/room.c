#include "tsp/layout.h"

#include "tsp/kernels.h"

#include "tsp/instance/metric.c"

#include "tsp/instance/weights.c"

COMBGPU__WARM_BEGIN
#include "tsp/instance/sum.c"

#include "tsp/instance/terms.c"

#include "tsp/instance/state.c"

#include "tsp/instance/form.c"

#include "tsp/instance/make.c"

#include "tsp/instance/before.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "tsp/instance/fixed.c"

#include "tsp/instance/tour.c"

#include "tsp/instance/label.c"

#include "tsp/instance/svg.c"

#include "tsp/tsplib/text.c"

#include "tsp/tsplib/nodes.c"

#include "tsp/tsplib/windows.c"

#include "tsp/tsplib/tour.c"

#include "tsp/tsplib/file.c"
COMBGPU__COLD_END

#include "tsp/table/brute.c"

#include "tsp/table/held_karp.c"

COMBGPU__WARM_BEGIN
#include "tsp/table/record.c"

#include "tsp/branch/data.c"

#include "tsp/branch/fix.c"

#include "tsp/branch/tree.c"

#include "tsp/branch/tour.c"

#include "tsp/branch/graph.c"

#include "tsp/branch/grain.c"

#include "tsp/branch/assign.c"

#include "tsp/branch/root.c"

#include "tsp/branch/lp.c"

#include "tsp/branch/factor.c"

#include "tsp/branch/simplex.c"

#include "tsp/branch/lp_rows.c"

#include "tsp/branch/separate.c"

#include "tsp/branch/tighten.c"

#include "tsp/branch/directed.c"

#include "tsp/branch/label.c"

#include "tsp/branch/cut.c"

#include "tsp/branch/prove.c"

#include "tsp/branch/choose.c"

#include "tsp/branch/step.c"

#include "tsp/branch/parts.c"

#include "tsp/branch/node.c"

#include "tsp/branch/job.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "tsp/branch/begin_end.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "tsp/sop/form.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "tsp/sop/tour.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "tsp/sop/bound.c"

#include "tsp/sop/ascend.c"

#include "tsp/sop/history.c"

#include "tsp/sop/node.c"

#include "tsp/sop/job.c"

#include "tsp/large/state.c"

#include "tsp/large/near.c"

#include "tsp/large/tree.c"

#include "tsp/large/bound.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "tsp/large/first.c"
COMBGPU__COLD_END

#include "tsp/large/tour.c"

COMBGPU__WARM_BEGIN
#include "tsp/large/arcs.c"
COMBGPU__WARM_END

#include "tsp/large/chain.c"

#include "tsp/large/kick.c"

COMBGPU__WARM_BEGIN
#include "tsp/large/job.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "tsp/large/begin_end.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "tsp/shortest/solve.c"

#include "tsp/shortest/job.c"
COMBGPU__WARM_END

#include "tsp/window/solve.c"

#include "tsp/window/label.c"

#include "tsp/window/answer.c"

COMBGPU__COLD_BEGIN
#include "tsp/window/reason.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "tsp/window/job.c"

#include "tsp/batch/check.c"
COMBGPU__WARM_END

#include "tsp/batch/load.c"

#include "tsp/batch/points.c"

#include "tsp/batch/tables.c"

#include "tsp/batch/lanes.c"

#include "tsp/batch/solve.c"

COMBGPU__WARM_BEGIN
#include "tsp/batch/cut.c"

#include "tsp/batch/branch.c"

#include "tsp/batch/large.c"

#include "tsp/batch/nodes.c"

#include "tsp/batch/nodes_solve.c"

#include "tsp/batch/job.c"

#include "tsp/batch/common.c"

#include "tsp/batch/common_job.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "tsp/begin_end.c"

#include "tsp/self_test.c"
COMBGPU__COLD_END
