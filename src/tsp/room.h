#include "api/tsp.h"
