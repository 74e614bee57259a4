#include "magic/layout.h"

#if defined(COMBGPU_KERNELS_MAGIC) || defined(COMBGPU__HAS_MAGIC)

#include "magic/core/packed.cl"

#include "magic/cells/search.cl"

#include "magic/cells/four.cl"

#include "magic/five/join.cl"

#include "magic/five/list.cl"

#include "magic/five/join_ring.cl"

#include "magic/five/join_ring_sets.cl"

#include "magic/five/list_ring_images.cl"

#include "magic/five/join_ring_stages.cl"

#include "magic/five/join_ring_count.cl"

#include "magic/five/list_ring.cl"

#include "magic/five/semi.cl"

#endif /* MAGIC */

#if defined(COMBGPU_KERNELS_MAGIC6) || defined(COMBGPU__HAS_MAGIC)

#include "magic/estimate/draw.cl"

#include "magic/estimate/rest.cl"

#include "magic/estimate/arrange.cl"

#include "magic/estimate/join.cl"

#include "magic/estimate/samples.cl"

#include "magic/six/tables.cl"

#include "magic/six/share.cl"

#include "magic/six/join.cl"

#include "magic/six/solve.cl"

#include "magic/cells/ranks.cl"

#include "magic/seven/ultra.cl"

#include "magic/seven/associative.cl"

#endif /* MAGIC6 */
