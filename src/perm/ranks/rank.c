/* Single permutations: factorial, rank and unrank, next and previous.

   Other files make many permutations in *groups*: the 720 = 6! permutations that differ only in the
   last six positions. Substituting values turns any group into any other, so one table of positions
   serves all. */

#define COMBGPU__PERM_NO_RANK UINT64_MAX

/* ---- ranks */

COMBGPU__DEF combgpu_u128 combgpu_factorial(int n)
{
    combgpu_u128 x = {0, 0};
    int i;
    if (n < 0 || n > COMBGPU__PERM_MAX128) return x;
    x.lo = 1;
    for (i = 2; i <= n; i++)
        x = combgpu__perm_u128_times(x, (uint32_t)i, 0);
    return x;
}

/* Checks n and a mandatory pointer. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_check_n(combgpu_context *ctx, int n, int most,
                                                      const char *name, const void *pointer)
{
    if (n < 1 || n > most)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", n, most);
    return pointer ? COMBGPU_OK : combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", name);
}

/* Checks n, the elements of the permutation `name`, and the pointer to the result. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_check(combgpu_context *ctx, int n, int most,
                                                    const char *name, const uint8_t *perm,
                                                    const char *out_name, const void *out)
{
    uint64_t seen = 0;
    int i;
    combgpu_status status = combgpu__perm_check_n(ctx, n, most, name, perm);
    if (!status) status = combgpu__perm_check_n(ctx, n, most, out_name, out);
    for (i = 0; i < n && !status; i++) {
        if (perm[i] >= n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "%s[%d] is %d; with n = %d it may be 0 to %d", name, i, perm[i], n,
                                 n - 1);
        if (seen >> perm[i] & 1)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "%s[%d] is %d, which occurs before: not a permutation", name, i,
                                 perm[i]);
        seen |= UINT64_C(1) << perm[i];
    }
    return status;
}

/* The Lehmer digits of a permutation: for each element, the number of smaller ones after it. */
COMBGPU__PRIVATE void combgpu__perm_digits(int n, const uint8_t *perm, uint8_t *digits)
{
    uint64_t unused = ~UINT64_C(0);
    int i;
    for (i = 0; i < n; i++) {
        uint64_t bit = UINT64_C(1) << perm[i];
        digits[i] = (uint8_t)combgpu__popcount64(unused & (bit - 1));
        unused &= ~bit;
    }
}

/* Replaces Lehmer digits, perm[i] < n - i, by elements. */
COMBGPU__PRIVATE void combgpu__perm_elements(int n, uint8_t *perm)
{
    uint8_t left[COMBGPU__PERM_MAX128];
    int i, j;
    for (i = 0; i < n; i++)
        left[i] = (uint8_t)i;
    for (i = 0; i < n; i++) {
        int digit = perm[i];
        perm[i] = left[digit];
        for (j = digit; j < n - i - 1; j++)
            left[j] = left[j + 1];
    }
}

/* Writes the Lehmer digits of a rank < n!/m! from perm[0] on, for the positions with n .. m+1
   elements left; n is `from`, m < n is `least`. Take rank m!/n! as a fraction of `bits` bits,
   rounded up: times n, its integer part is the first digit; the fraction left, times n-1, gives the
   second, and so on. The error grows by these factors to less than (n!/m!)^2 / 2^bits, and is
   harmless below 1. */
#define COMBGPU__PERM_DIGITS(bits, from, least)                                                    \
    for (i = from; i > least; i--) {                                                               \
        fraction *= (uint64_t)i;                                                                   \
        *perm++ = (uint8_t)(fraction >> bits);                                                     \
        fraction &= (UINT64_C(1) << bits) - 1;                                                     \
    }

COMBGPU__PRIVATE void combgpu__perm_unrank_digits(int n, uint64_t rank, uint8_t *perm)
{
    /* 2^60 / n! rounded up for n = 0 .. 12, and 2^59 12! / n! for n = 13 .. 19 */
    static const uint64_t inverse[20] = {
        UINT64_C(1152921504606846976), UINT64_C(1152921504606846976), UINT64_C(576460752303423488),
        UINT64_C(192153584101141163),  UINT64_C(48038396025285291),   UINT64_C(9607679205057059),
        UINT64_C(1601279867509510),    UINT64_C(228754266787073),     UINT64_C(28594283348385),
        UINT64_C(3177142594265),       UINT64_C(317714259427),        UINT64_C(28883114494),
        UINT64_C(2406926208),          UINT64_C(44343134792571038),   UINT64_C(3167366770897932),
        UINT64_C(211157784726529),     UINT64_C(13197361545409),      UINT64_C(776315385025),
        UINT64_C(43128632502),         UINT64_C(2269928027)};
    uint64_t fraction;
    int i, least = n < 12 ? n : 12;
    if (n == 20) {
        *perm++ = (uint8_t)(rank / UINT64_C(121645100408832000));
        rank %= UINT64_C(121645100408832000);
        n = 19;
    }
    if (n > 12) {
        fraction = rank / 479001600 * inverse[n];
        rank %= 479001600;
        COMBGPU__PERM_DIGITS(59, n, 12)
    }
    fraction = rank * inverse[least];
    COMBGPU__PERM_DIGITS(60, least, 0)
}
#undef COMBGPU__PERM_DIGITS

/* The permutation of a rank < n!, n up to 20. The unused elements of the last 16 positions are a
   list of nibbles; a shift takes out a digit's element, since portable C has no instruction for the
   k-th set bit. */
COMBGPU__PRIVATE void combgpu__perm_unrank(int n, uint64_t rank, uint8_t *perm)
{
    uint64_t list = UINT64_C(0xfedcba9876543210);
    uint8_t left[16]; /* element of nibble k: k + the number of t[] up to k */
    int t[4] = {99, 99, 99, 99}, i, j, k;
    combgpu__perm_unrank_digits(n, rank, perm);
    for (i = 0; i < n - 16; i++) { /* t[j]: the j-th used element in ascending order, less j */
        int digit = perm[i];
        k = (digit >= t[0]) + (digit >= t[1]) + (digit >= t[2]) + (digit >= t[3]);
        perm[i] = (uint8_t)(digit + k);
        for (j = 3; j > 0; j--) /* branches would be unpredictable */
            t[j] = digit >= t[j] ? t[j] : digit >= t[j - 1] ? digit : t[j - 1] - 1;
        t[0] = digit >= t[0] ? t[0] : digit;
    }
    for (k = 0; k < 16; k++)
        left[k] = (uint8_t)(k + (k >= t[0]) + (k >= t[1]) + (k >= t[2]) + (k >= t[3]));
    for (; i < n; i++) {
        int bit = 4 * perm[i];
        uint64_t from = UINT64_MAX << bit;
        perm[i] = left[list >> bit & 15];
        list ^= (list ^ list >> 4) & from;
    }
}

#ifdef COMBGPU__X86
/* The same with an instruction for the k-th unused element. */
COMBGPU__PRIVATE COMBGPU__AVX2 void combgpu__perm_unrank_bmi2(int n, uint64_t rank, uint8_t *perm)
{
    uint32_t unused = (1u << n) - 1;
    int i;
    combgpu__perm_unrank_digits(n, rank, perm);
    for (i = 0; i < n; i++) {
        uint32_t bit = _pdep_u32(1u << perm[i], unused);
        perm[i] = (uint8_t)_tzcnt_u32(bit);
        unused ^= bit;
    }
}
#endif

COMBGPU__DEF combgpu_status combgpu_perm_rank(combgpu_context *ctx, int n, const uint8_t *perm,
                                              uint64_t *rank)
{
    uint8_t digits[COMBGPU__PERM_MAX];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX, "perm", perm, "rank", rank);
    int i;
    if (status) return status;
    combgpu__perm_digits(n, perm, digits);
    for (*rank = 0, i = 0; i < n; i++)
        *rank = *rank * (uint64_t)(n - i) + digits[i];
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_unrank(combgpu_context *ctx, int n, uint64_t rank,
                                                uint8_t *perm)
{
    static const uint64_t factorial[COMBGPU__PERM_MAX + 1] = {UINT64_C(1),
                                                              UINT64_C(1),
                                                              UINT64_C(2),
                                                              UINT64_C(6),
                                                              UINT64_C(24),
                                                              UINT64_C(120),
                                                              UINT64_C(720),
                                                              UINT64_C(5040),
                                                              UINT64_C(40320),
                                                              UINT64_C(362880),
                                                              UINT64_C(3628800),
                                                              UINT64_C(39916800),
                                                              UINT64_C(479001600),
                                                              UINT64_C(6227020800),
                                                              UINT64_C(87178291200),
                                                              UINT64_C(1307674368000),
                                                              UINT64_C(20922789888000),
                                                              UINT64_C(355687428096000),
                                                              UINT64_C(6402373705728000),
                                                              UINT64_C(121645100408832000),
                                                              UINT64_C(2432902008176640000)};
    combgpu_status status = combgpu__perm_check_n(ctx, n, COMBGPU__PERM_MAX, "perm", perm);
    if (status) return status;
    if (rank >= factorial[n])
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "rank is %llu; with n = %d it may be 0 to %llu",
                             (unsigned long long)rank, n, (unsigned long long)factorial[n] - 1);
#ifdef COMBGPU__X86
    if (combgpu__simd(ctx)) {
        combgpu__perm_unrank_bmi2(n, rank, perm);
        return COMBGPU_OK;
    }
#endif
    combgpu__perm_unrank(n, rank, perm);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_rank128(combgpu_context *ctx, int n, const uint8_t *perm,
                                                 combgpu_u128 *rank)
{
    uint8_t digits[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "perm", perm, "rank", rank);
    int i;
    if (status) return status;
    combgpu__perm_digits(n, perm, digits);
    for (rank->lo = rank->hi = 0, i = 0; i < n; i++)
        *rank = combgpu__perm_u128_times(*rank, (uint32_t)(n - i), digits[i]);
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_unrank128(combgpu_context *ctx, int n, combgpu_u128 rank,
                                                   uint8_t *perm)
{
    combgpu_u128 all = combgpu_factorial(n);
    combgpu_status status = combgpu__perm_check_n(ctx, n, COMBGPU__PERM_MAX128, "perm", perm);
    char number[2][COMBGPU__U128_TEXT];
    int i;
    if (status) return status;
    if (!combgpu__perm_u128_less(rank, all))
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT, "rank is %s; with n = %d it must be below n! = %s",
            combgpu__perm_u128_text(rank, number[0]), n, combgpu__perm_u128_text(all, number[1]));
    for (i = 1; i <= n; i++) { /* rank, perm[n - i] = rank / i, rank % i */
        uint32_t digit;
        rank = combgpu__perm_u128_over(rank, (uint32_t)i, &digit);
        perm[n - i] = (uint8_t)digit;
    }
    combgpu__perm_elements(n, perm);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__perm_reverse(uint8_t *begin, uint8_t *end)
{
    while (begin < end && begin < --end) {
        uint8_t x = *begin;
        *begin++ = *end;
        *end = x;
    }
}

/* Moves to the successor, or to the predecessor if flip is 255, which reverses the order of the
   elements. */
COMBGPU__PRIVATE int combgpu__perm_step(int n, uint8_t *perm, int flip)
{
    int i = n - 2, j;
    uint8_t x;
    if (n < 1 || !perm) return 0;
    while (i >= 0 && (perm[i] ^ flip) >= (perm[i + 1] ^ flip))
        i--;
    combgpu__perm_reverse(perm + i + 1, perm + n);
    if (i < 0) return 0;
    for (j = i + 1; (perm[j] ^ flip) <= (perm[i] ^ flip); j++) {
    }
    x = perm[i];
    perm[i] = perm[j];
    perm[j] = x;
    return 1;
}

COMBGPU__DEF int combgpu_perm_next(int n, uint8_t *perm)
{
    return combgpu__perm_step(n, perm, 0);
}

COMBGPU__DEF int combgpu_perm_previous(int n, uint8_t *perm)
{
    return combgpu__perm_step(n, perm, 255);
}
