
/* ################################################################################################
   ##  IMPLEMENTATION
   ################################################################################################
 */
#if defined(COMBGPU_IMPLEMENTATION) && !defined(COMBGPU__IMPLEMENTED)
#define COMBGPU__IMPLEMENTED

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__)
#include <immintrin.h>
#endif
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#if !defined(COMBGPU_NO_STDIO) && (defined(__unix__) || defined(__APPLE__))
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if !defined(COMBGPU_NO_SIMD) && !defined(__CUDACC__) /* nvcc cannot read every compiler's */
#if defined(__AVX512BW__)
#define COMBGPU__VECTOR 64 /* bytes */
#elif defined(__AVX2__)
#define COMBGPU__VECTOR 32
#elif defined(__SSSE3__) || (defined(__ARM_NEON) && defined(__aarch64__))
#define COMBGPU__VECTOR 16
#endif
#endif
#if defined(COMBGPU__VECTOR) && defined(__SSSE3__)
#include <immintrin.h>
#elif defined(COMBGPU__VECTOR)
#include <arm_neon.h>
#endif

/* A definition of a public function; static with COMBGPU_STATIC. Private functions are static, and
   may stay unused in a build that leaves a backend out. */
#ifdef COMBGPU_STATIC
#define COMBGPU__DEF COMBGPU_API
#elif defined(__cplusplus)
#define COMBGPU__DEF extern "C"
#else
#define COMBGPU__DEF
#endif
#ifdef __GNUC__
#define COMBGPU__PRIVATE static __attribute__((unused))
#define COMBGPU__PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define COMBGPU__PRIVATE static
#define COMBGPU__PRINTF(format_at, args_at)
#endif

