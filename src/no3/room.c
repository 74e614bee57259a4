#include "no3/layout.h"

#include "no3/kernels.h"

COMBGPU__WARM_BEGIN
#include "no3/geometry/line.c"

#include "no3/geometry/board.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "no3/model/about.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "no3/model/state.c"

#include "no3/model/lines.c"

#include "no3/model/large.c"

#include "no3/forms/rows.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "no3/forms/plate.c"

#include "no3/forms/solo.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "no3/forms/pairs.c"
COMBGPU__WARM_END

#include "no3/forms/step.c"

#include "no3/forms/task.c"

#include "no3/forms/solve.c"

#include "no3/forms/solve512.c"

#include "no3/forms/solve512_wide.c"

#include "no3/forms/solver.c"

COMBGPU__WARM_BEGIN
#include "no3/search/frontier.c"

#include "no3/search/random_walk.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "no3/search/random.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "no3/search/record.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "no3/search/random_hold.c"

#include "no3/begin_end.c"

#include "no3/text/board.c"

#include "no3/text/svg.c"

#include "no3/text/dimacs.c"

#include "no3/self_test.c"
COMBGPU__COLD_END
