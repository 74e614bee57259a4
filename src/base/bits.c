/* Hashes, bits and divisors. */

/* The nonnegative greatest common divisor; 0 for two zeros. */
COMBGPU__PRIVATE int64_t combgpu__gcd(int64_t a, int64_t b)
{
    while (b) { /* Euclid */
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* splitmix64's finaliser (S. Vigna): the hash whose sums are the checksums. */
COMBGPU__PRIVATE uint64_t combgpu__mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* FNV-1a-64 (G. Fowler, L. C. Noll, K.-P. Vo); begin with COMBGPU__FNV_OFFSET. */
#define COMBGPU__FNV_OFFSET UINT64_C(14695981039346656037)
COMBGPU__PRIVATE uint64_t combgpu__fnv(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (; bytes; bytes--, p++)
        hash = (hash ^ *p) * UINT64_C(1099511628211);
    return hash;
}

COMBGPU__PRIVATE int combgpu__popcount64(uint64_t x)
{
#ifdef __GNUC__
    return __builtin_popcountll(x);
#else
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
#endif
}

/* 1 if an odd number of bits is set, else 0. Folded by hand: gcc 14 turns a count's lowest bit into
   a parity, and crashes (internal error) when it inlines that into a function for AVX2. */
COMBGPU__INLINE uint32_t combgpu__parity64(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996u >> (x & 15) & 1;
}

/* Index of the lowest set bit; x is not 0. */
COMBGPU__PRIVATE int combgpu__lowest_bit64(uint64_t x)
{
#ifdef __GNUC__
    return __builtin_ctzll(x);
#else
    int n = 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
#endif
}
