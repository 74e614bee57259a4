/* ---- which vector instructions functions may use: visitors' and the library's own */

/* On x86-64, AVX2 and AVX-512 do not depend on the compiler's options: an attribute names each
   function's instructions, and the library asks the CPU at run time. Excluded are gcc for Windows,
   which misaligns the stack for 32-byte vectors (gcc bug 54412), and nvcc before 13, which lacks
   support for every gcc's headers. */
#if defined(__x86_64__) && !defined(COMBGPU_NO_SIMD) && !defined(__INTEL_COMPILER) &&              \
    (!defined(__CUDACC__) || defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 13) &&       \
    ((defined(__clang__) && __clang_major__ >= 8) ||                                               \
     (!defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 9 && !defined(_WIN32)))
#define COMBGPU__X86
#define COMBGPU__AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define COMBGPU__AVX512                                                                            \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,"         \
                          "avx512vbmi2,avx512bitalg,avx512vpopcntdq")))
#endif
