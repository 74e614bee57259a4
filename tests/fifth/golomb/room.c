#include "golomb/kernels.h"

#include "golomb/ruler.c"

#include "golomb/search.c"
