#include "perm/layout.h"

#include "perm/kernels.h"

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
