#include "api/magic.h"
