#include "api/perm.h"

#include "api/perm_search.h"

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "api/visitor.h"

#include "api/searcher.h"

#ifdef __cplusplus
extern "C" {
#endif
