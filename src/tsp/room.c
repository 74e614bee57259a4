#include "tsp/layout.h"

#include "tsp/kernels.h"

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
