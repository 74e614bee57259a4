#include "magic/layout.h"

#include "magic/kernels.h"

COMBGPU__COLD_BEGIN
#include "magic/core/about.c"
COMBGPU__COLD_END

#include "magic/core/job.c"

COMBGPU__WARM_BEGIN
#include "magic/core/lines.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "magic/core/series.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "magic/core/validate.c"
COMBGPU__WARM_END

#include "magic/core/deliver.c"

COMBGPU__WARM_BEGIN
#include "magic/cells/search.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "magic/cells/linear_plan.c"

#include "magic/cells/linear_tables.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "magic/cells/linear.c"

#include "magic/cells/four.c"
COMBGPU__WARM_END

#include "magic/five/join.c"

#include "magic/five/join_avx512.c"

#include "magic/five/join_list.c"

COMBGPU__WARM_BEGIN
#include "magic/five/join_given.c"

#include "magic/five/semi.c"
COMBGPU__WARM_END

#include "magic/seven/ultra.c"

COMBGPU__COLD_BEGIN
#include "magic/seven/ultra_tables.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "magic/seven/associative_tables.c"
COMBGPU__WARM_END

#include "magic/seven/associative.c"

COMBGPU__COLD_BEGIN
#include "magic/check/rarer.c"

#include "magic/check/properties.c"

#include "magic/check/bimagic.c"

#include "magic/check/construct.c"

#include "magic/check/forms.c"

#include "magic/estimate/plan.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "magic/estimate/draw.c"

#include "magic/estimate/arrange.c"

#include "magic/estimate/solve.c"

#include "magic/estimate/linear.c"

#include "magic/estimate/lift.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "magic/estimate/job.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "magic/six/diagonals.c"

#include "magic/six/tables.c"

#include "magic/six/join.c"

#include "magic/six/job.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "magic/begin_end.c"

#include "magic/list.c"

#include "magic/self_test.c"
COMBGPU__COLD_END
