/* ---- vectors of bytes: the widest that the compiler's options allow (-mssse3, -mavx2,
   -march=native), without them none; COMBGPU_NO_SIMD: none. COMBGPU__LOOKUP takes byte i of a table of
   16 for each byte i < 16; LOOKUP(table, PICK(i, 16 k)) one of a longer table's part k, and 0 for an
   i outside of it; STREAM goes past the caches where there is such a store. */
#ifdef COMBGPU__VECTOR
#if defined(__AVX512BW__)
typedef __m512i combgpu__vector;
#define COMBGPU__LOAD(p) _mm512_loadu_si512((const void *)(p))
#define COMBGPU__STORE(p, x) _mm512_storeu_si512((void *)(p), x)
#define COMBGPU__STREAM(p, x) _mm512_stream_si512((__m512i *)(void *)(p), x)
#define COMBGPU__TABLE(p)                                                                          \
    _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define COMBGPU__LOOKUP(table, i) _mm512_shuffle_epi8(table, i)
#define COMBGPU__OR(x, y) _mm512_or_si512(x, y)
#define COMBGPU__PICK(i, from)                                                                     \
    _mm512_adds_epu8(_mm512_sub_epi8(i, _mm512_set1_epi8(from)), _mm512_set1_epi8(0x70))
#define COMBGPU__FENCE() _mm_sfence()
#elif defined(__AVX2__)
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
#elif defined(__SSSE3__)
typedef __m128i combgpu__vector;
#define COMBGPU__LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define COMBGPU__STORE(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define COMBGPU__STREAM(p, x) _mm_stream_si128((__m128i *)(void *)(p), x)
#define COMBGPU__TABLE(p) COMBGPU__LOAD(p)
#define COMBGPU__LOOKUP(table, i) _mm_shuffle_epi8(table, i)
#define COMBGPU__OR(x, y) _mm_or_si128(x, y)
#define COMBGPU__PICK(i, from)                                                                     \
    _mm_adds_epu8(_mm_sub_epi8(i, _mm_set1_epi8(from)), _mm_set1_epi8(0x70))
#define COMBGPU__FENCE() _mm_sfence()
#else /* NEON: has no stores past the caches */
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
#endif

/* memset, past the caches if it can: what writing to memory is measured by. */
COMBGPU__PRIVATE void combgpu__fill(unsigned char *to, int value, size_t bytes)
{
#ifdef COMBGPU__VECTOR
    unsigned char some[COMBGPU__VECTOR];
    combgpu__vector x;
    size_t head = (COMBGPU__VECTOR - (size_t)(uintptr_t)to % COMBGPU__VECTOR) % COMBGPU__VECTOR;
    if (bytes >= 4 * COMBGPU__VECTOR) {
        memset(some, value, sizeof some);
        x = COMBGPU__LOAD(some);
        memset(to, value, head);
        to += head;
        for (bytes -= head; bytes >= COMBGPU__VECTOR; bytes -= COMBGPU__VECTOR) {
            COMBGPU__STREAM(to, x);
            to += COMBGPU__VECTOR;
        }
        COMBGPU__FENCE();
    }
#endif
    memset(to, value, bytes);
}

