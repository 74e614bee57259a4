#include "api/no3.h"
