#include "magic/layout.h"

#include "magic/kernels.h"

#include "magic/core/about.c"

#include "magic/core/job.c"

#include "magic/core/lines.c"

#include "magic/core/series.c"

#include "magic/core/validate.c"

#include "magic/core/deliver.c"

#include "magic/cells/search.c"

#include "magic/cells/linear_plan.c"

#include "magic/cells/linear_tables.c"

#include "magic/cells/linear.c"

#include "magic/cells/four.c"

#include "magic/five/join.c"

#include "magic/five/join_avx512.c"

#include "magic/five/join_list.c"

#include "magic/five/join_given.c"

#include "magic/five/semi.c"

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
