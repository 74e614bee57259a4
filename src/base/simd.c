/* The CPU's vector instructions: the level to use, and byte vectors. */

/* Levels; each includes the lower ones. */
enum {
    COMBGPU__SIMD_NONE,
    COMBGPU__SIMD_VECTORS, /* COMBGPU__VECTOR: AVX2 with BMI2, or NEON */
    COMBGPU__SIMD_AVX512   /* with VL, VBMI2, BITALG and VPOPCNTDQ: Ice Lake, Zen 4 and later */
};

#ifdef COMBGPU__X86
/* The level that both CPU and system (which saves the registers) support. */
COMBGPU__PRIVATE int combgpu__simd_of_cpu(void)
{
    const unsigned fma_xsave_avx = 1u << 12 | 1u << 27 | 1u << 28, popcnt = 1u << 23;
    const unsigned bmi_avx2_bmi2 = 1u << 3 | 1u << 5 | 1u << 8, lzcnt = 1u << 5;
    const unsigned f_dq_bw_vl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
    const unsigned vbmi2_bitalg_vpopcntdq = 1u << 6 | 1u << 12 | 1u << 14;
    unsigned a, b, c, d, saved;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return COMBGPU__SIMD_NONE;
    if (~c & (fma_xsave_avx | popcnt)) return COMBGPU__SIMD_NONE;
    __asm__ __volatile__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
    if (~saved & 0x06) return COMBGPU__SIMD_NONE; /* SSE, AVX */
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || ~c & lzcnt) return COMBGPU__SIMD_NONE;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || ~b & bmi_avx2_bmi2) return COMBGPU__SIMD_NONE;
    return ~saved & 0xe0 || ~b & f_dq_bw_vl || ~c & vbmi2_bitalg_vpopcntdq ? COMBGPU__SIMD_VECTORS
                                                                           : COMBGPU__SIMD_AVX512;
}
#else
COMBGPU__PRIVATE int combgpu__simd_of_cpu(void)
{
#ifdef COMBGPU__NEON
    return COMBGPU__SIMD_VECTORS;
#else
    return COMBGPU__SIMD_NONE;
#endif
}
#endif

/* The level to use: the CPU's, or a lower one named by the environment variable COMBGPU_SIMD. */
COMBGPU__PRIVATE int combgpu__simd_allowed(void)
{
    const char *most = getenv("COMBGPU_SIMD");
    int level = combgpu__simd_of_cpu(), wanted = level;
    if (most && !strcmp(most, "none")) wanted = COMBGPU__SIMD_NONE;
    if (most && (!strcmp(most, "avx2") || !strcmp(most, "neon"))) wanted = COMBGPU__SIMD_VECTORS;
    return wanted < level ? wanted : level;
}

/* The name of a level, as COMBGPU_SIMD spells it. */
COMBGPU__PRIVATE const char *combgpu__simd_name(int level)
{
#ifdef COMBGPU__NEON
    return level ? "neon" : "none";
#else
    return level == COMBGPU__SIMD_AVX512 ? "avx512" : level ? "avx2" : "none";
#endif
}

/* Vectors of COMBGPU__VECTOR bytes, for functions marked COMBGPU__VECTORS, called only from level
   COMBGPU__SIMD_VECTORS on. COMBGPU__LOOKUP replaces each byte i < 16 by byte i of a
   table of 16. For a longer table, LOOKUP(part k, PICK(i, 16 k)) looks up the bytes i in part k,
   and gives 0 for the others. STREAM bypasses the caches if the CPU can. */
#if defined(COMBGPU__X86)
#define COMBGPU__VECTOR 32
#define COMBGPU__VECTORS COMBGPU__AVX2
typedef __m256i combgpu__vector;
#define COMBGPU__LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define COMBGPU__STORE(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define COMBGPU__STREAM(p, x) _mm256_stream_si256((__m256i *)(void *)(p), x)
#define COMBGPU__TABLE(p)                                                                          \
    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define COMBGPU__LOOKUP(table, i) _mm256_shuffle_epi8(table, i)
#define COMBGPU__OR(x, y) _mm256_or_si256(x, y)
#define COMBGPU__PICK(i, from)                                                                     \
    _mm256_adds_epu8(_mm256_sub_epi8(i, _mm256_set1_epi8(from)), _mm256_set1_epi8(0x70))
#define COMBGPU__FENCE() _mm_sfence()
#elif defined(COMBGPU__NEON)
#define COMBGPU__VECTOR 16
#define COMBGPU__VECTORS
typedef uint8x16_t combgpu__vector;
#define COMBGPU__LOAD(p) vld1q_u8((const uint8_t *)(p))
#define COMBGPU__STORE(p, x) vst1q_u8((uint8_t *)(p), x)
#define COMBGPU__STREAM(p, x) COMBGPU__STORE(p, x)
#define COMBGPU__TABLE(p) COMBGPU__LOAD(p)
#define COMBGPU__LOOKUP(table, i) vqtbl1q_u8(table, i)
#define COMBGPU__OR(x, y) vorrq_u8(x, y)
#define COMBGPU__PICK(i, from) vsubq_u8(i, vdupq_n_u8(from))
#define COMBGPU__FENCE() ((void)0)
#endif

#ifdef COMBGPU__VECTOR
/* Fills whole vectors, bypassing the caches; returns the start of the rest. */
COMBGPU__PRIVATE COMBGPU__VECTORS unsigned char *combgpu__fill_vectors(unsigned char *to, int value,
                                                                       unsigned char *end)
{
    unsigned char some[COMBGPU__VECTOR];
    combgpu__vector x;
    memset(some, value, sizeof some);
    x = COMBGPU__LOAD(some);
    for (; (size_t)(end - to) >= COMBGPU__VECTOR; to += COMBGPU__VECTOR)
        COMBGPU__STREAM(to, x);
    COMBGPU__FENCE();
    return to;
}
#endif

/* Like memset, bypassing the caches if possible: a yardstick for memory writes. */
COMBGPU__PRIVATE void combgpu__fill(int simd, unsigned char *to, int value, size_t bytes)
{
    unsigned char *end = to + bytes;
#ifdef COMBGPU__VECTOR
    size_t head = (COMBGPU__VECTOR - (size_t)(uintptr_t)to % COMBGPU__VECTOR) % COMBGPU__VECTOR;
    if (simd && bytes >= 4 * COMBGPU__VECTOR) {
        memset(to, value, head);
        to = combgpu__fill_vectors(to + head, value, end);
    }
#else
    (void)simd;
#endif
    memset(to, value, (size_t)(end - to));
}
