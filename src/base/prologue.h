#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#define COMBGPU__WINDOWS
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#elif (defined(__unix__) || defined(__APPLE__)) && defined(CLOCK_MONOTONIC)
#define COMBGPU__POSIX
#include <unistd.h>
#ifndef _SC_NPROCESSORS_ONLN /* macOS and the BSDs hide it in programs that ask for POSIX alone */
#ifdef __NetBSD__
#define _SC_NPROCESSORS_ONLN 1002
#elif defined(__OpenBSD__)
#define _SC_NPROCESSORS_ONLN 503
#else
#define _SC_NPROCESSORS_ONLN 58
#endif
#endif
#endif
#ifdef COMBGPU_NO_THREADS
#elif defined(COMBGPU__WINDOWS)
#define COMBGPU__THREADS
#elif defined(COMBGPU__POSIX) && defined(__GCC_ATOMIC_LLONG_LOCK_FREE) &&                          \
    __GCC_ATOMIC_LLONG_LOCK_FREE == 2 && (!defined(__wasm__) || defined(_REENTRANT))
#define COMBGPU__THREADS /* words of 64 bits need no lock */
#include <pthread.h>
#include <sched.h>
#endif
#if defined(COMBGPU_NO_STDIO)
#elif defined(COMBGPU__WINDOWS)
#define COMBGPU__FILES
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#elif defined(COMBGPU__POSIX)
#define COMBGPU__FILES
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifndef LOCK_EX /* macOS and the BSDs hide them in programs that ask for POSIX alone */
#define LOCK_EX 2
#define LOCK_NB 4
#ifdef __cplusplus
extern "C" int flock(int file, int operation);
#else
int flock(int file, int operation);
#endif
#endif
#ifndef O_NOFOLLOW /* macOS, likewise */
#define O_NOFOLLOW 0x100
#endif
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(COMBGPU_NO_SIMD)
#define COMBGPU__SSE2 /* nvcc accepts these, too */
#include <emmintrin.h>
#endif
#ifdef COMBGPU__X86
#include <cpuid.h>
/* g++ 12 warns of undefined vectors inside these headers */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#elif !defined(COMBGPU_NO_SIMD) && !defined(__CUDACC__) && defined(__ARM_NEON) &&                  \
    defined(__aarch64__)
#define COMBGPU__NEON
#include <arm_neon.h>
#endif

/* Levels of optimisation, for whole files of the spine, between two lines. COLD: what runs once a call, as
   tests/hot.py finds, is compiled for size. WARM: solvers to which -O3 brings nothing but code (NOTES.md); gcc
   takes -O2. All others take what the command line says, and so do these two without optimisation, for
   sanitizers, and with COMBGPU__ONE_LEVEL, for builds at -O1, which gcc does not tell from -O3. */
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(COMBGPU__ONE_LEVEL)
#elif defined(__clang__)
#define COMBGPU__COLD_BEGIN                                                                        \
    _Pragma("clang diagnostic push") /* a file may have no function */                             \
        _Pragma("clang diagnostic ignored \"-Wpragma-clang-attribute\"")                           \
            _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
#define COMBGPU__COLD_END _Pragma("clang attribute pop") _Pragma("clang diagnostic pop")
#elif defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__) &&                                          \
    (!defined(__CUDACC__) || defined(__NVCC_DIAG_PRAGMA_SUPPORT__))
#ifdef __CUDACC__ /* passes on to the host's compiler what it does not know, with a warning */
#pragma nv_diag_suppress 1675
#endif
/* without passes that take long, and bring these files little (NOTES.md) */
#define COMBGPU__WITHOUT _Pragma("GCC optimize(\"no-schedule-insns2\", \"no-tree-vrp\")")
#define COMBGPU__WITHOUT_MORE                                                                      \
    _Pragma("GCC optimize(\"no-thread-jumps\", \"no-tree-pre\", \"no-gcse\", \"no-ivopts\")")      \
        _Pragma("GCC optimize(\"no-tree-dominator-opts\", \"no-code-hoisting\")")                  \
            _Pragma("GCC optimize(\"ira-region=one\")")
#define COMBGPU__COLD_BEGIN                                                                        \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"Os\")")                                    \
        COMBGPU__WITHOUT COMBGPU__WITHOUT_MORE
#define COMBGPU__COLD_END _Pragma("GCC pop_options")
#define COMBGPU__WARM_BEGIN                                                                        \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\")") COMBGPU__WITHOUT
#define COMBGPU__WARM_END _Pragma("GCC pop_options")
#endif
#ifndef COMBGPU__COLD_BEGIN
#define COMBGPU__COLD_BEGIN
#define COMBGPU__COLD_END
#endif
#ifndef COMBGPU__WARM_BEGIN
#define COMBGPU__WARM_BEGIN
#define COMBGPU__WARM_END
#endif

/* COMBGPU__DEF defines a public function; static with COMBGPU_STATIC. Private functions are static,
   and may be unused in a build without some backend. */
#ifdef COMBGPU_STATIC
#define COMBGPU__DEF COMBGPU_API
#elif defined(__cplusplus)
#define COMBGPU__DEF extern "C"
#else
#define COMBGPU__DEF
#endif
#ifdef __GNUC__
#ifndef COMBGPU__PRIVATE /* tests/walls.sh omits the attribute to find dead code */
#define COMBGPU__PRIVATE static __attribute__((unused))
#endif
#define COMBGPU__INLINE static inline __attribute__((always_inline, unused))
#define COMBGPU__APART static __attribute__((noinline, unused)) /* has its own frame */
#define COMBGPU__PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define COMBGPU__PRIVATE static
#define COMBGPU__INLINE static inline
#define COMBGPU__APART static
#define COMBGPU__PRINTF(format_at, args_at)
#endif
