#include "api/tsp.h"

#include "api/tsp_search.h"

#include "api/tsp_windows.h"

#include "api/tsp_tours.h"

#include "api/tsp_batch.h"
