/* ---------------------------------------------------------------------------------- PERM */
#if defined(COMBGPU_KERNELS_PERM) || defined(COMBGPU_KERNELS_MULTISET) || defined(COMBGPU__HAS_PERM)
/* A worker is a block. Words of `tables`: combgpu.h, SECTION 40. */
#define PERM_N ((int)tables[0])
#define PERM_ORDERS tables[1]
#define PERM_VECTORS tables[2]
#define PERM_AREA tables[3]
#define PERM_TASK_GROUPS tables[8]
#define PERM_ITEM_BYTES tables[9]
#define PERM_SHIFT tables[10]
#define PERM_UNITS tables[11]
#define PERM_PERIOD tables[12]
#define PERM_PREFIX tables[13] /* n - 6 or 0; oclgrind lacks what compilers make of that */
#define PERM_FIRST combgpu_load64(tables + 14)
#define PERM_OFFSET combgpu_load64(tables + 16)
#define PERM_BASE 18
#define PERM_DIVISORS 46
#define PERM_ITEMS 114
#define PERM_PATTERN 182
#define PERM_PIECE_GROUPS 16
#define PERM_PREPARED 34 /* 16-byte units for a prepared group: 1 and a period, or 34 items */
#define PERM_LANES 128
#define PERM_WRITE_LANES 256
#define PERM_PLACES 20   /* the most, where a rank has 64 bits */
#define PERM_PLACES128 34

/* Device functions for a caller's own kernels too; n is at most 20, or 34 with two words for a rank;
   arrays are private. */

/* Lehmer digits to elements, in place: the element for each digit is the k-th that is unused. */
DEVICE void combgpu_perm_elements(int n, u8 *perm)
{
    u32 low = n < 32 ? (1u << n) - 1 : ~0u, high = n > 32 ? (1u << (n - 32)) - 1 : 0, count = 0;
    int i, shift;
    for (i = 0; i < n; i++) {
        u32 digit = perm[i], set = low;
        shift = 0;
        if (n > 32) {
            count = POPCOUNT(low);
            if (digit >= count) {
                digit -= count;
                set = high;
                shift = 32;
            }
        }
        for (; digit; digit--)
            set &= set - 1;
        perm[i] = (u8)(CTZ(set) + shift);
        if (shift)
            high &= ~(set & (0u - set));
        else
            low &= ~(set & (0u - set));
    }
}

/* The permutation of a rank < n!. */
DEVICE void combgpu_unrank(int n, u64 rank, u8 *perm)
{
    u32 rest;
    int i = 1;
    for (; i <= n && rank >> 32; i++) {
        perm[n - i] = (u8)(rank % (u32)i);
        rank /= (u32)i;
    }
    for (rest = (u32)rank; i <= n; i++) {
        perm[n - i] = (u8)(rest % (u32)i);
        rest /= (u32)i;
    }
    combgpu_perm_elements(n, perm);
}

/* The rank of a permutation. */
DEVICE u64 combgpu_rank(int n, const u8 *perm)
{
    u32 unused = (1u << n) - 1;
    u64 rank = 0;
    int i;
    for (i = 0; i < n; i++) {
        u32 bit = 1u << perm[i];
        rank = rank * (u32)(n - i) + POPCOUNT(unused & (bit - 1));
        unused &= ~bit;
    }
    return rank;
}

/* The same with ranks of 128 bits. */
DEVICE void combgpu_unrank128(int n, u64 high, u64 low, u8 *perm)
{
    int i;
    for (i = 1; i <= n; i++) { /* 32 bits at a time */
        u64 divisor = (u64)i, rest, middle, last;
        rest = high % divisor;
        high /= divisor;
        middle = rest << 32 | low >> 32;
        last = (middle % divisor) << 32 | (low & 0xffffffffu);
        low = (middle / divisor) << 32 | last / divisor;
        perm[n - i] = (u8)(last % divisor);
    }
    combgpu_perm_elements(n, perm);
}

DEVICE u64 combgpu_rank128(int n, const u8 *perm, u64 *high)
{
    u64 low = 0, top = 0, unused = ~(u64)0;
    int i;
    for (i = 0; i < n; i++) {
        u64 bit = (u64)1 << perm[i], below = unused & (bit - 1), factor = (u64)(n - i), middle;
        u64 first = (low & 0xffffffffu) * factor + combgpu_popcount64(below);
        middle = (low >> 32) * factor + (first >> 32);
        low = middle << 32 | (first & 0xffffffffu);
        top = top * factor + (middle >> 32);
        unused &= ~bit;
    }
    *high = top;
    return low;
}

/* The next one (Narayana Pandita); after the last one, which returns 0, comes the first. `flip` all
   ones: the previous one, which is the next one in the reversed order of values. */
DEVICE int combgpu_perm_neighbour(int n, u8 *perm, u8 flip)
{
    int i = n - 2, j = n - 1, k;
    u8 x;
    while (i >= 0 && (u8)(perm[i] ^ flip) >= (u8)(perm[i + 1] ^ flip))
        i--;
    if (i >= 0) {
        while ((u8)(perm[j] ^ flip) <= (u8)(perm[i] ^ flip))
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

DEVICE int combgpu_next_permutation(int n, u8 *perm)
{
    return combgpu_perm_neighbour(n, perm, 0);
}

DEVICE int combgpu_previous_permutation(int n, u8 *perm)
{
    return combgpu_perm_neighbour(n, perm, 255);
}

/* As combgpu_perm_random: Fisher and Yates' shuffle with words of Philox4x32-10 (J. K. Salmon, M. A.
   Moraes, R. O. Dror and D. E. Shaw 2011). */
DEVICE void combgpu_random_permutation(int n, u64 seed, u64 index, u8 *perm)
{
    u32 a = 0, b = 0, c = 0, d = 0, block = 0, used = 4;
    int i;
    for (i = 0; i < n; i++)
        perm[i] = (u8)i;
    while (--i > 0) {
        u32 range = (u32)i + 1, low, high;
        u8 x;
        do {
            if (used == 4) {
                u32 key0 = (u32)seed, key1 = (u32)(seed >> 32), round;
                a = (u32)index;
                b = (u32)(index >> 32);
                c = block++;
                d = 0;
                for (round = 0; round < 10; round++) {
                    u64 first = (u64)a * 0xd2511f53u, second = (u64)c * 0xcd9e8d57u;
                    a = (u32)(second >> 32) ^ b ^ key0;
                    b = (u32)second;
                    c = (u32)(first >> 32) ^ d ^ key1;
                    d = (u32)first;
                    key0 += 0x9e3779b9u;
                    key1 += 0xbb67ae85u;
                }
                used = 0;
            }
            low = used == 0 ? a : used == 1 ? b : used == 2 ? c : d;
            used++;
            high = (u32)((u64)low * range >> 32);
            low *= range;
        } while (low < (0u - range) % range);
        x = perm[high];
        perm[high] = perm[i];
        perm[i] = x;
    }
}

/* 1 for an odd permutation: the number of inversions. */
DEVICE int combgpu_parity(int n, const u8 *perm)
{
    u64 unused = ~(u64)0;
    u32 inversions = 0;
    int i;
    for (i = 0; i < n; i++) {
        u64 bit = (u64)1 << perm[i], below = unused & (bit - 1);
        inversions += combgpu_popcount64(below);
        unused &= ~bit;
    }
    return (int)(inversions & 1);
}

DEVICE void combgpu_inverse(int n, const u8 *perm, u8 *inverse)
{
    int i;
    for (i = 0; i < n; i++)
        inverse[perm[i]] = (u8)i;
}

DEVICE void combgpu_compose(int n, const u8 *left, const u8 *right, u8 *product)
{
    int i;
    for (i = 0; i < n; i++)
        product[i] = left[right[i]];
}

/* Gives back what is left of a task, if anything; in two parts when there are too few tasks for all
   workers. Called by one lane. */
DEVICE void combgpu_perm_give(GLOBAL combgpu_slice_t *slice, GLOBAL u32 *left, u64 begin, u64 end)
{
    u64 middle = end;
    if (begin >= end) return;
    if (slice->task_count < 2 * slice->workers && (end - begin) / 2 >= 720)
        middle = begin + (end - begin) / 2 / 720 * 720;
    combgpu_give_range(slice, left, begin, middle);
    if (middle < end) combgpu_give_range(slice, left, middle, end);
}

