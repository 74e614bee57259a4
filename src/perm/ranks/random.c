/* Random permutations, parity, inverse, product. */

/* Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw 2011): four words for each
   counter. */
COMBGPU__PRIVATE void combgpu__perm_philox(uint64_t key, const uint32_t *counter, uint32_t *words)
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    int round;
    memcpy(words, counter, 16);
    for (round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)words[0] * 0xd2511f53u,
                 second = (uint64_t)words[2] * 0xcd9e8d57u;
        uint32_t odd1 = words[1], odd3 = words[3];
        words[0] = (uint32_t)(second >> 32) ^ odd1 ^ key0;
        words[1] = (uint32_t)second;
        words[2] = (uint32_t)(first >> 32) ^ odd3 ^ key1;
        words[3] = (uint32_t)first;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
}

COMBGPU__DEF combgpu_status combgpu_perm_random(combgpu_context *ctx, int n, uint64_t seed,
                                                uint64_t index, uint8_t *perm)
{
    uint32_t counter[4], words[4], used = 4;
    combgpu_status status = combgpu__perm_check_n(ctx, n, COMBGPU__PERM_MAX128, "perm", perm);
    int i;
    if (status) return status;
    combgpu__put64(counter, index);
    counter[2] = counter[3] = 0;
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    while (--i > 0) { /* position i gets one of the elements 0 .. i */
        uint32_t range = (uint32_t)i + 1;
        uint64_t product;
        uint8_t x;
        do {
            if (used == 4) {
                combgpu__perm_philox(seed, counter, words);
                counter[2]++;
                used = 0;
            }
            product = (uint64_t)words[used++] * range;
        } while ((uint32_t)product < (0u - range) % range);
        x = perm[product >> 32];
        perm[product >> 32] = perm[i];
        perm[i] = x;
    }
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_parity(combgpu_context *ctx, int n, const uint8_t *perm,
                                                int *parity)
{
    uint8_t digits[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "perm", perm, "parity", parity);
    int i;
    if (status) return status;
    combgpu__perm_digits(n, perm, digits);
    for (*parity = i = 0; i < n; i++) /* the number of inversions is the sum of the digits */
        *parity ^= digits[i] & 1;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_inverse(combgpu_context *ctx, int n, const uint8_t *perm,
                                                 uint8_t *inverse)
{
    uint8_t copy[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "perm", perm, "inverse", inverse);
    int i;
    if (status) return status;
    memcpy(copy, perm, (size_t)n);
    for (i = 0; i < n; i++)
        inverse[copy[i]] = (uint8_t)i;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_perm_compose(combgpu_context *ctx, int n, const uint8_t *left,
                                                 const uint8_t *right, uint8_t *product)
{
    uint8_t copy[COMBGPU__PERM_MAX128];
    combgpu_status status =
        combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "left", left, "product", product);
    int i;
    if (!status)
        status =
            combgpu__perm_check(ctx, n, COMBGPU__PERM_MAX128, "right", right, "product", product);
    if (status) return status;
    for (i = 0; i < n; i++)
        copy[i] = left[right[i]];
    memcpy(product, copy, (size_t)n);
    return COMBGPU_OK;
}
