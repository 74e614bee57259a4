/* Single permutations, also for callers' kernels. n is at most 20, with 128-bit ranks 34; arrays
   are in private memory. */

/* Replaces Lehmer digits by elements: digit k stands for the k-th unused element. */
COMBGPU__DEVICE void combgpu_perm_elements(int n, uint8_t *perm)
{
    uint32_t low = n < 32 ? (1u << n) - 1 : ~0u, high = n > 32 ? (1u << (n - 32)) - 1 : 0,
             count = 0;
    int i, shift;
    for (i = 0; i < n; i++) {
        uint32_t digit = perm[i], set = low;
        shift = 0;
        if (n > 32) {
            count = COMBGPU__POPCOUNT(low);
            if (digit >= count) {
                digit -= count;
                set = high;
                shift = 32;
            }
        }
        for (; digit; digit--)
            set &= set - 1;
        perm[i] = (uint8_t)(COMBGPU__CTZ(set) + shift);
        if (shift)
            high &= ~(set & (0u - set));
        else
            low &= ~(set & (0u - set));
    }
}

/* The permutation of a rank < n!. */
COMBGPU__DEVICE void combgpu_unrank(int n, uint64_t rank, uint8_t *perm)
{
    uint32_t rest;
    int i = 1;
    for (; i <= n && rank >> 32; i++) {
        perm[n - i] = (uint8_t)(rank % (uint32_t)i);
        rank /= (uint32_t)i;
    }
    for (rest = (uint32_t)rank; i <= n; i++) {
        perm[n - i] = (uint8_t)(rest % (uint32_t)i);
        rest /= (uint32_t)i;
    }
    combgpu_perm_elements(n, perm);
}

/* The rank of a permutation. */
COMBGPU__DEVICE uint64_t combgpu_rank(int n, const uint8_t *perm)
{
    uint32_t unused = (1u << n) - 1;
    uint64_t rank = 0;
    int i;
    for (i = 0; i < n; i++) {
        uint32_t bit = 1u << perm[i];
        rank = rank * (uint32_t)(n - i) + COMBGPU__POPCOUNT(unused & (bit - 1));
        unused &= ~bit;
    }
    return rank;
}

/* As combgpu_unrank, with 128-bit ranks. */
COMBGPU__DEVICE void combgpu_unrank128(int n, uint64_t high, uint64_t low, uint8_t *perm)
{
    int i;
    for (i = 1; i <= n; i++) { /* 32 bits at a time */
        uint64_t divisor = (uint64_t)i, rest, middle, last;
        rest = high % divisor;
        high /= divisor;
        middle = rest << 32 | low >> 32;
        last = (middle % divisor) << 32 | (low & 0xffffffffu);
        low = (middle / divisor) << 32 | last / divisor;
        perm[n - i] = (uint8_t)(last % divisor);
    }
    combgpu_perm_elements(n, perm);
}

COMBGPU__DEVICE uint64_t combgpu_rank128(int n, const uint8_t *perm, uint64_t *high)
{
    uint64_t low = 0, top = 0, unused = ~(uint64_t)0;
    int i;
    for (i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << perm[i], below = unused & (bit - 1),
                 factor = (uint64_t)(n - i), middle;
        uint64_t first = (low & 0xffffffffu) * factor + combgpu_popcount64(below);
        middle = (low >> 32) * factor + (first >> 32);
        low = middle << 32 | (first & 0xffffffffu);
        top = top * factor + (middle >> 32);
        unused &= ~bit;
    }
    *high = top;
    return low;
}

/* Moves to the next permutation (Narayana Pandita) and returns 1; from the last to the first, and
   returns 0. If `flip` is all ones, moves to the previous one, which is the next in the reversed
   order of values. */
COMBGPU__DEVICE int combgpu_perm_neighbour(int n, uint8_t *perm, uint8_t flip)
{
    int i = n - 2, j = n - 1, k;
    uint8_t x;
    while (i >= 0 && (uint8_t)(perm[i] ^ flip) >= (uint8_t)(perm[i + 1] ^ flip))
        i--;
    if (i >= 0) {
        while ((uint8_t)(perm[j] ^ flip) <= (uint8_t)(perm[i] ^ flip))
            j--;
        x = perm[i];
        perm[i] = perm[j];
        perm[j] = x;
    }
    for (j = i + 1, k = n - 1; j < k; j++, k--) {
        x = perm[j];
        perm[j] = perm[k];
        perm[k] = x;
    }
    return i >= 0;
}

COMBGPU__DEVICE int combgpu_next_permutation(int n, uint8_t *perm)
{
    return combgpu_perm_neighbour(n, perm, 0);
}

COMBGPU__DEVICE int combgpu_previous_permutation(int n, uint8_t *perm)
{
    return combgpu_perm_neighbour(n, perm, 255);
}

/* As combgpu_perm_random: Fisher and Yates' shuffle with words of Philox4x32-10 (J. K. Salmon, M. A.
   Moraes, R. O. Dror and D. E. Shaw 2011). */
COMBGPU__DEVICE void combgpu_random_permutation(int n, uint64_t seed, uint64_t index, uint8_t *perm)
{
    uint32_t a = 0, b = 0, c = 0, d = 0, block = 0, used = 4;
    int i;
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    while (--i > 0) {
        uint32_t range = (uint32_t)i + 1, low, high;
        uint8_t x;
        do {
            if (used == 4) {
                uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32), round;
                a = (uint32_t)index;
                b = (uint32_t)(index >> 32);
                c = block++;
                d = 0;
                for (round = 0; round < 10; round++) {
                    uint64_t first = (uint64_t)a * 0xd2511f53u, second = (uint64_t)c * 0xcd9e8d57u;
                    a = (uint32_t)(second >> 32) ^ b ^ key0;
                    b = (uint32_t)second;
                    c = (uint32_t)(first >> 32) ^ d ^ key1;
                    d = (uint32_t)first;
                    key0 += 0x9e3779b9u;
                    key1 += 0xbb67ae85u;
                }
                used = 0;
            }
            low = used == 0 ? a : used == 1 ? b : used == 2 ? c : d;
            used++;
            high = (uint32_t)((uint64_t)low * range >> 32);
            low *= range;
        } while (low < (0u - range) % range);
        x = perm[high];
        perm[high] = perm[i];
        perm[i] = x;
    }
}

/* Returns 1 for an odd permutation: the parity of the number of inversions. */
COMBGPU__DEVICE int combgpu_parity(int n, const uint8_t *perm)
{
    uint64_t unused = ~(uint64_t)0;
    uint32_t inversions = 0;
    int i;
    for (i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << perm[i], below = unused & (bit - 1);
        inversions += combgpu_popcount64(below);
        unused &= ~bit;
    }
    return (int)(inversions & 1);
}

COMBGPU__DEVICE void combgpu_inverse(int n, const uint8_t *perm, uint8_t *inverse)
{
    int i;
    for (i = 0; i < n; i++)
        inverse[perm[i]] = (uint8_t)i;
}

COMBGPU__DEVICE void combgpu_compose(int n, const uint8_t *left, const uint8_t *right,
                                     uint8_t *product)
{
    int i;
    for (i = 0; i < n; i++)
        product[i] = left[right[i]];
}

/* Spills the rest of a task, if any; in two halves if tasks are too few for all workers. For one
   lane. */
COMBGPU__DEVICE void combgpu_perm_give(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL uint32_t *left, uint64_t begin, uint64_t end)
{
    uint64_t middle = end;
    if (begin >= end) return;
    if (slice->task_count < 2 * slice->workers && (end - begin) / 2 >= 720)
        middle = begin + (end - begin) / 2 / 720 * 720;
    combgpu_give_range(slice, left, begin, middle);
    if (middle < end) combgpu_give_range(slice, left, middle, end);
}

/* A block's range of ranks: those from `begin` on are left; `from` is the task's first one. */
typedef struct combgpu_perm_range_t {
    uint64_t from, begin, end, steps; /* steps: ranks done, of all tasks */
} combgpu_perm_range_t;

/* Takes a task if the last one is done. Returns 0 if the block's slice ends. The block calls it;
   `decision` is a word that its lanes share. */
COMBGPU__DEVICE uint32_t combgpu_perm_go_on(COMBGPU__GLOBAL combgpu__slice *slice,
                                            COMBGPU__GLOBAL const uint32_t *tasks,
                                            COMBGPU__LOCAL uint32_t *decision,
                                            combgpu_perm_range_t *range)
{
    uint32_t task;
    if (COMBGPU__LANE_ID == 0)
        *decision = combgpu_spent(slice, (uint32_t)range->steps) ? COMBGPU__NONE
                    : range->begin == range->end                 ? combgpu_take(slice)
                                                                 : 0;
    COMBGPU__BLOCK_BARRIER();
    task = *decision;
    COMBGPU__BLOCK_BARRIER();
    if (task != COMBGPU__NONE && range->begin == range->end) {
        range->from = range->begin = combgpu_load64(tasks + 4 * task);
        range->end = combgpu_load64(tasks + 4 * task + 2);
    }
    return task != COMBGPU__NONE;
}
