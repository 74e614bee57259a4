#include "api/about.h"

/* Strict -std=c99 hides clock_gettime and fsync unless this is asked for before a system header; on macOS and the
   BSDs nothing is hidden, but this would hide what POSIX lacks. */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) &&       \
    !defined(__APPLE__) && !defined(__FreeBSD__) && !defined(__NetBSD__) &&                        \
    !defined(__OpenBSD__) && !defined(__DragonFly__)
#define _POSIX_C_SOURCE 200809L
#endif

#ifndef COMBGPU_H
#define COMBGPU_H

#include <math.h> /* HUGE_VAL */
#include <stddef.h>
#include <stdint.h>

#include "each/has.h"

#include "api/common.h"

#ifdef __cplusplus
} /* extern "C", which api/common.h opens */
#endif

#include "api/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "each/room.h"

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COMBGPU_H */

/* ################################################################################################
   ##  IMPLEMENTATION
   ################################################################################################
 */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(COMBGPU__IMPLEMENTED)
#define COMBGPU__IMPLEMENTED

#include "base/prologue.h"

#include "base/threads.h"

#include "base/base.h"

#include "base/context.h"

#include "base/memory.c"

#include "base/arena.c"

#include "base/message.c"

#include "base/platform.c"

#include "base/threads.c"

COMBGPU__COLD_BEGIN
#include "base/file.c"

#include "base/reader.c"
COMBGPU__COLD_END

#include "base/math.c"

#include "base/bits.c"

#include "base/words.c"

COMBGPU__COLD_BEGIN
#include "base/simd.c"
COMBGPU__COLD_END

#include "engine/slice.h"

#include "engine/problem.h"

#include "backend/backend.h"

#include "engine/job.h"

#include "engine/job.c"

COMBGPU__COLD_BEGIN
#include "engine/check.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "engine/reserve.c"

#include "engine/records.c"
COMBGPU__WARM_END

#include "engine/worker.c"

COMBGPU__COLD_BEGIN
#include "engine/device.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "engine/pool.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "engine/slice.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "engine/devices.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "engine/checkpoint.c"

#include "engine/snapshot.c"
COMBGPU__COLD_END

/* ---- checkpoint files: written beside the old one, locked; .bak replaces damaged ones */

#ifdef COMBGPU__FILES

COMBGPU__COLD_BEGIN
#include "engine/checkpoint_guard.c"

#include "engine/file.c"

#include "engine/merge.c"
COMBGPU__COLD_END

#else /* no files */

COMBGPU__COLD_BEGIN
#include "engine/no_files.c"
COMBGPU__COLD_END

#endif

COMBGPU__COLD_BEGIN
#include "engine/recover.c"

#ifndef COMBGPU_NO_SELF_TEST
#include "engine/verify.c"
#else
#include "engine/no_verify.c"
#endif

#include "engine/round.c"

#include "engine/start.c"

#include "engine/save.c"

#include "engine/report.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "engine/draw.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "engine/judge.c"

#include "engine/progress.c"

#include "engine/step.c"

#include "engine/estimate.c"

#include "engine/begin_end.c"

#include "engine/search.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "backend/cpu.c"
COMBGPU__WARM_END

#ifdef COMBGPU_CUDA
#include "combgpu_kernels.cl"
#endif

#include "backend/kernels.h"

/* ---- the sidecars define combgpu__cuda and combgpu__opencl */
#ifdef COMBGPU_CUDA
#include "combgpu_cuda.cu"
#endif
#ifdef COMBGPU_OPENCL
#include "combgpu_cl.c"
#endif

COMBGPU__WARM_BEGIN
#include "backend/context.c"
COMBGPU__WARM_END

COMBGPU__COLD_BEGIN
#include "backend/memory.c"
COMBGPU__COLD_END

COMBGPU__WARM_BEGIN
#include "backend/probe.c"
COMBGPU__WARM_END

#include "each/room.c"

COMBGPU__COLD_BEGIN
#include "kernel/list.c"

#include "api/self_test.c"
COMBGPU__COLD_END

#endif /* COMBGPU_IMPLEMENTATION */
