/* ---- the expansion of COMBGPU_PERM_VISITOR, which callers' files must see
   Host and CUDA device compile one function. OpenCL gets its body as a string, after functions with
   the same names. */
#include <string.h>

#ifdef __CUDACC__
#define COMBGPU__VISITOR_FUNCTION static __host__ __device__ inline
#elif defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) /* gcc 12 -Og cannot inline then */
#define COMBGPU__VISITOR_FUNCTION static __attribute__((unused, always_inline)) inline
#else
#define COMBGPU__VISITOR_FUNCTION static inline
#endif

/* For visitors: number i of the data, an array of int32_t or int64_t. */
COMBGPU__VISITOR_FUNCTION int32_t combgpu_data_i32(const unsigned char *data, int i)
{
    int32_t value;
    memcpy(&value, data + 4 * (ptrdiff_t)i, 4);
    return value;
}

COMBGPU__VISITOR_FUNCTION int64_t combgpu_data_i64(const unsigned char *data, int i)
{
    int64_t value;
    memcpy(&value, data + 8 * (ptrdiff_t)i, 8);
    return value;
}

#define COMBGPU__VISITOR_OPENCL                                                                    \
    "#define COMBGPU_VISITOR 1\n"                                                                  \
    "#define int8_t char\n"                                                                        \
    "#define int16_t short\n"                                                                      \
    "#define int32_t int\n"                                                                        \
    "#define int64_t long\n"                                                                       \
    "#define uint8_t uchar\n"                                                                      \
    "#define uint16_t ushort\n"                                                                    \
    "#define uint32_t uint\n"                                                                      \
    "#define uint64_t ulong\n"                                                                     \
    "static inline int combgpu_data_i32(__global const uchar *data, int i)\n"                      \
    "{ return ((__global const int *)data)[i]; }\n"                                                \
    "static inline long combgpu_data_i64(__global const uchar *data, int i)\n"                     \
    "{ return as_long(vload2((size_t)i, (__global const int *)data)); }\n"                         \
    "static inline long combgpu_visit(const uchar *perm, int n, __global const uchar *data)\n"

#if defined(COMBGPU_CUDA) && defined(__CUDACC__)
#include "combgpu_kernels.cl"
#define COMBGPU__VISITOR_CUDA_FUNCTOR(NAME)                                                        \
    struct NAME##_functor {                                                                        \
        static __device__ __forceinline__ long long visit(const unsigned char *perm, int n,        \
                                                          const unsigned char *data)               \
        {                                                                                          \
            return NAME##_value(perm, n, data);                                                    \
        }                                                                                          \
    };
#define COMBGPU__VISITOR_CUDA_KERNEL(NAME)                                                         \
    reinterpret_cast<const void *>(&combgpu_perm_visit<NAME##_functor>)
#else
#define COMBGPU__VISITOR_CUDA_FUNCTOR(NAME)
#define COMBGPU__VISITOR_CUDA_KERNEL(NAME) NULL
#endif

#define COMBGPU__VISITOR_VALUES(NAME, N)                                                           \
    case N:                                                                                        \
        for (i = 0; i < count; i++, perms += N)                                                    \
            values[i] = NAME##_value(perms, N, data);                                              \
        break;

/* 720 permutations in columns: once perm[] is in registers, the compiler vectorises the loop and
   hoists what depends on the head alone (n = 12, one core: 10 to 30 times as fast as
   next_permutation and a call). gcc needs -O3, and plain stores to perm[]. */
#if defined(__GNUC__) && !defined(__clang__) /* clang warns if it cannot vectorise a loop */
#define COMBGPU__VISITOR_LOOP _Pragma("GCC ivdep")
#else
#define COMBGPU__VISITOR_LOOP
#endif
#define COMBGPU__VISITOR_GROUP_LOOP(NAME, N, STORE)                                                \
    COMBGPU__VISITOR_LOOP                                                                          \
    for (j = 0; j < 720; j++) {                                                                    \
        unsigned char p[N];                                                                        \
        int k;                                                                                     \
        for (k = 0; k < N - 6; k++)                                                                \
            p[k] = h[k];                                                                           \
        p[N - 6] = columns[j];                                                                     \
        p[N - 5] = columns[720 + j];                                                               \
        p[N - 4] = columns[1440 + j];                                                              \
        p[N - 3] = columns[2160 + j];                                                              \
        p[N - 2] = columns[2880 + j];                                                              \
        p[N - 1] = columns[3600 + j];                                                              \
        STORE;                                                                                     \
    }
#define COMBGPU__VISITOR_GROUP(NAME, N)                                                            \
    case N:                                                                                        \
        if (hits) {                                                                                \
            COMBGPU__VISITOR_GROUP_LOOP(NAME, N, hits[j] = NAME##_value(p, N, data) != 0)          \
        } else {                                                                                   \
            COMBGPU__VISITOR_GROUP_LOOP(NAME, N, values[j] = NAME##_value(p, N, data))             \
        }                                                                                          \
        return 1;

/* cpu_group, compiled for the instructions of TARGET. */
#define COMBGPU__VISITOR_GROUP_FORM(NAME, FORM, TARGET)                                            \
    TARGET static int FORM(const unsigned char *head, int n, const unsigned char *columns,         \
                           const unsigned char *data, int64_t *values, unsigned char *hits)        \
    {                                                                                              \
        unsigned char h[16];                                                                       \
        int j;                                                                                     \
        for (j = 0; j < 16; j++)                                                                   \
            h[j] = j < n - 6 ? head[j] : 0;                                                        \
        switch (n) {                                                                               \
            COMBGPU__VISITOR_GROUP(NAME, 9)                                                        \
            COMBGPU__VISITOR_GROUP(NAME, 10)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 11)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 12)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 13)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 14)                                                       \
            COMBGPU__VISITOR_GROUP(NAME, 15)                                                       \
        default:                                                                                   \
            return 0;                                                                              \
        }                                                                                          \
    }
#ifdef COMBGPU__X86
#define COMBGPU__VISITOR_GROUPS(NAME)                                                              \
    COMBGPU__VISITOR_GROUP_FORM(NAME, NAME##_group, )                                              \
    COMBGPU__VISITOR_GROUP_FORM(NAME, NAME##_group_avx2, COMBGPU__AVX2)
#define COMBGPU__VISITOR_GROUP_AVX2(NAME) NAME##_group_avx2
#else
#define COMBGPU__VISITOR_GROUPS(NAME) COMBGPU__VISITOR_GROUP_FORM(NAME, NAME##_group, )
#define COMBGPU__VISITOR_GROUP_AVX2(NAME) NULL
#endif

#define COMBGPU__PERM_VISITOR(NAME, ...)                                                           \
    COMBGPU__VISITOR_FUNCTION int64_t NAME##_value(const unsigned char *perm, int n,               \
                                                   const unsigned char *data)                      \
    {                                                                                              \
        (void)perm, (void)n, (void)data;                                                           \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    static void NAME##_values(const unsigned char *perms, int n, const unsigned char *data,        \
                              int count, int64_t *values)                                          \
    {                                                                                              \
        int i;                                                                                     \
        switch (n) { /* a constant n: up to twice as fast */                                       \
            COMBGPU__VISITOR_VALUES(NAME, 10)                                                      \
            COMBGPU__VISITOR_VALUES(NAME, 11)                                                      \
            COMBGPU__VISITOR_VALUES(NAME, 12)                                                      \
            COMBGPU__VISITOR_VALUES(NAME, 13)                                                      \
        default:                                                                                   \
            for (i = 0; i < count; i++, perms += n)                                                \
                values[i] = NAME##_value(perms, n, data);                                          \
        }                                                                                          \
    }                                                                                              \
    COMBGPU__VISITOR_GROUPS(NAME)                                                                  \
    COMBGPU__VISITOR_CUDA_FUNCTOR(NAME)                                                            \
    static const combgpu_perm_visitor NAME = {#NAME,                                               \
                                              NAME##_value,                                        \
                                              NAME##_values,                                       \
                                              COMBGPU__VISITOR_OPENCL "#line 1 \"" #NAME           \
                                                                      "\"\n{" #__VA_ARGS__ "}\n",  \
                                              COMBGPU__VISITOR_CUDA_KERNEL(NAME),                  \
                                              NAME##_group,                                        \
                                              COMBGPU__VISITOR_GROUP_AVX2(NAME)};
