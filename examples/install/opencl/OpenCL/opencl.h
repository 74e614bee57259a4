/* The name that macOS has for it. */
#include "../CL/cl.h"
