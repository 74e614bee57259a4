#include "no3/layout.h"

#include "no3/forms/search.cl"

#include "no3/forms/counts.cl"

#include "no3/forms/orbit.cl"

#include "no3/forms/solo.cl"

#include "no3/forms/solo_step.cl"

#include "no3/forms/solo_rows.cl"

#include "no3/forms/matrix.cl"

#include "no3/forms/square.cl"

#include "no3/forms/square_step.cl"

#include "no3/forms/plate.cl"

#include "no3/forms/plate_fold.cl"

#include "no3/forms/plate_half.cl"

#include "no3/forms/plate_step.cl"
