#include "perm/layout.h"

#include "perm/kernels.h"

#include "perm/ranks/u128.c"

#include "perm/ranks/rank.c"

COMBGPU__COLD_BEGIN
#include "perm/ranks/random.c"
COMBGPU__COLD_END

#include "perm/write/write.c"

#include "perm/write/simd.c"

#include "perm/set/tree.c"

#include "perm/set/rank.c"

#include "perm/set/walk.c"

#include "perm/visit/state.c"

COMBGPU__COLD_BEGIN
#include "perm/visit/validate.c"

#include "perm/visit/tables.c"

#include "perm/visit/multiset.c"
COMBGPU__COLD_END

#include "perm/visit/solve.c"

COMBGPU__WARM_BEGIN
#include "perm/visit/collect.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "perm/visit/begin_end.c"
COMBGPU__COLD_END

#include "perm/search/state.c"

#include "perm/search/solve.c"

COMBGPU__WARM_BEGIN
#include "perm/search/collect.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "perm/search/check.c"

#include "perm/search/begin_end.c"

#include "perm/self_test.c"
COMBGPU__COLD_END
