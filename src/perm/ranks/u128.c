/* ================================================================= SECTION 40: permutations == */
/* Numbers of 128 bits: the arithmetic that ranks need. */

#define COMBGPU__U128_TEXT 40 /* bytes of the longest text */

/* x * factor + more, which must be below 2^128. */
COMBGPU__PRIVATE combgpu_u128 combgpu__perm_u128_times(combgpu_u128 x, uint32_t factor,
                                                       uint32_t more)
{
    uint64_t low = (x.lo & 0xffffffffu) * factor + more;
    uint64_t high = (x.lo >> 32) * factor + (low >> 32);
    x.lo = high << 32 | (low & 0xffffffffu);
    x.hi = x.hi * factor + (high >> 32);
    return x;
}

COMBGPU__PRIVATE int combgpu__perm_u128_less(combgpu_u128 a, combgpu_u128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

/* x / divisor; the remainder goes to *rest. */
COMBGPU__PRIVATE combgpu_u128 combgpu__perm_u128_over(combgpu_u128 x, uint32_t divisor,
                                                      uint32_t *rest)
{
    uint64_t high = x.hi % divisor << 32 | x.lo >> 32;
    uint64_t low = high % divisor << 32 | (x.lo & 0xffffffffu);
    x.hi /= divisor;
    x.lo = high / divisor << 32 | low / divisor;
    *rest = (uint32_t)(low % divisor);
    return x;
}

COMBGPU__PRIVATE combgpu_u128 combgpu__perm_u128_plus(combgpu_u128 a, combgpu_u128 b)
{
    a.lo += b.lo;
    a.hi += b.hi + (a.lo < b.lo);
    return a;
}

COMBGPU__PRIVATE combgpu_u128 combgpu__perm_u128_minus(combgpu_u128 a, combgpu_u128 b)
{
    a.hi -= b.hi + (a.lo < b.lo);
    a.lo -= b.lo;
    return a;
}

/* Writes x into `text`, of COMBGPU__U128_TEXT bytes, and returns its beginning. */
COMBGPU__PRIVATE const char *combgpu__perm_u128_text(combgpu_u128 x, char *text)
{
    char *at = text + COMBGPU__U128_TEXT - 1;
    uint32_t digit;
    *at = 0;
    do {
        x = combgpu__perm_u128_over(x, 10, &digit);
        *--at = (char)('0' + digit);
    } while (x.hi || x.lo);
    return at;
}
