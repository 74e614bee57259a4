/* The C solver of the join of order 5 with AVX-512, with the same counts.

   A ring is two halves, each a path over two sides: an end x, a middle, the corner c between the
   sides, a middle, an end z. Both halves have the same two ends, so the join takes all pairs of
   paths with these ends that share no number. A half belongs to two sides. The 72 rings of the 36
   ways of a pair need only 48 halves: those with A[0] and A[2], A[0] and A[3], A[1] and A[2], or
   A[1] and A[3] beside their sides.

   A number is its place among the 16 free ones, a set 16 bits. */
#ifdef COMBGPU__X86
#define COMBGPU__MAGIC_PATHS 16   /* with the same ends: at most 11 */
#define COMBGPU__MAGIC_KEYS 20192 /* fillings of a ring and one more vector */

/* Paths by their ends (16 * x + z): the sets of their other three numbers, padded with full sets;
   their counts, also by 16 * z + x; and bits for ends that have any, and more than 4. */
typedef struct combgpu__five_half {
    uint16_t paths[256][COMBGPU__MAGIC_PATHS];
    unsigned char count[2][256];
    uint64_t some[2][4], many[2][4];
} combgpu__five_half;

typedef struct combgpu__five_wide {
    uint32_t pair;
    uint16_t side[16][16][16];   /* by end and corner: the set of corner and middle; all = none */
    combgpu__five_half half[64]; /* 16 * (2 * (first of A) + (second of A) - 2) + 4 * b + b' */
    uint16_t keys[COMBGPU__MAGIC_KEYS], first[COMBGPU__MAGIC_KEYS]; /* of a ring; of ring 1 */
    unsigned char ways[1 << 15]; /* 15 bits determine a set of 8 */
} combgpu__five_wide;

COMBGPU__PRIVATE COMBGPU__AVX512 __m256i combgpu__five_wide_bits(void)
{
    return _mm256_sllv_epi16(_mm256_set1_epi16(1), _mm256_set_epi16(15, 14, 13, 12, 11, 10, 9, 8, 7,
                                                                    6, 5, 4, 3, 2, 1, 0));
}

/* Makes the ordered triples of a side, from the 16 free numbers and the bits of 32 numbers. */
COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__five_wide_side(uint16_t (*side)[16], int sum,
                                                              const uint16_t *number,
                                                              const uint16_t *bit_of)
{
    const __m256i corner = _mm256_loadu_si256((const __m256i *)number);
    const __m256i corner_bit = combgpu__five_wide_bits();
    const __m256i low = _mm256_loadu_si256((const __m256i *)bit_of);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(bit_of + 16));
    int x;
    for (x = 0; x < 16; x++) {
        __m256i end_bit = _mm256_set1_epi16((short)(1 << x));
        __m256i middle = _mm256_sub_epi16(_mm256_set1_epi16((short)(sum - number[x])), corner);
        __m256i bit = _mm256_permutex2var_epi16(low, middle, high); /* of the 5 low bits */
        __mmask16 good = _mm256_cmplt_epu16_mask(middle, _mm256_set1_epi16(32));
        good = _mm256_mask_test_epi16_mask(good, bit, bit);
        good = _mm256_mask_testn_epi16_mask(good, bit, _mm256_or_si256(end_bit, corner_bit));
        good = _mm256_mask_testn_epi16_mask(good, end_bit, corner_bit);
        _mm256_storeu_si256(
            (__m256i *)side[x],
            _mm256_mask_mov_epi16(_mm256_set1_epi16(-1), good, _mm256_or_si256(bit, corner_bit)));
    }
}

/* Makes all paths over two sides. */
COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__five_wide_half(combgpu__five_half *half,
                                                              uint16_t (*first)[16],
                                                              uint16_t (*second)[16])
{
    const __m256i corner = combgpu__five_wide_bits();
    const __m256i none = _mm256_set1_epi16(-1);
    int x, z, i, k;
    for (x = 0; x < 16; x++) {
        __m256i a = _mm256_loadu_si256((const __m256i *)first[x]);
        for (z = 0; z < 16; z++) {
            __m256i b = _mm256_loadu_si256((const __m256i *)second[z]), path;
            __mmask16 good = _mm256_cmpeq_epi16_mask(_mm256_and_si256(a, b), corner);
            int count;
            path = _mm256_or_si256(a, b);
            good = _mm256_mask_testn_epi16_mask(good, path,
                                                _mm256_set1_epi16((short)(1 << x | 1 << z)));
            count = combgpu__popcount64(good);
            _mm256_storeu_si256((__m256i *)half->paths[16 * x + z],
                                _mm256_mask_compress_epi16(none, good, path));
            half->count[0][16 * x + z] = half->count[1][16 * z + x] = (unsigned char)count;
        }
        _mm256_storeu_si256((__m256i *)half->paths[17 * x], none); /* the ends differ */
        half->count[0][17 * x] = half->count[1][17 * x] = 0;
    }
    for (i = 0; i < 2; i++)
        for (k = 0; k < 4; k++) {
            __m512i counts = _mm512_loadu_si512((const void *)(half->count[i] + 64 * k));
            half->some[i][k] = _mm512_test_epi8_mask(counts, counts);
            half->many[i][k] = _mm512_cmpgt_epu8_mask(counts, _mm512_set1_epi8(4));
        }
}

/* Makes the halves of a pair of diagonals unless they exist. */
COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__five_wide_pair(combgpu__five_wide *wide,
                                                              const uint32_t *tables,
                                                              uint32_t number)
{
    const uint32_t *pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * (size_t)number;
    uint16_t numbers[16], bit_of[32];
    int i, k = 0, b, c;
    if (wide->pair == number) return;
    wide->pair = number;
    combgpu__five_unused(pair, bit_of);
    for (i = 1; i <= 25; i++)
        if (bit_of[i]) numbers[k++] = (uint16_t)i;
    for (i = 0; i < 16; i++)
        combgpu__five_wide_side(wide->side[i], combgpu__five_side_sum(pair, i), numbers, bit_of);
    for (i = 0; i < 4; i++)
        for (b = 0; b < 4; b++)
            for (c = 0; c < 4; c++)
                if (b != c)
                    combgpu__five_wide_half(&wide->half[16 * i + 4 * b + c],
                                            wide->side[4 * (i / 2) + b],
                                            wide->side[4 * (2 + i % 2) + c]);
}

/* Joins four paths of each of two buckets; writes the sets of 8, each XORed with `flip`, to keys
   and returns their number. Overwrites up to 16 keys. */
COMBGPU__PRIVATE COMBGPU__AVX512 int combgpu__five_wide_quads(const uint16_t *a, const uint16_t *b,
                                                              __m256i ends, __m256i flip,
                                                              uint16_t *keys)
{
    const __m256i four_times = _mm256_set_epi8(7, 6, 7, 6, 7, 6, 7, 6, 5, 4, 5, 4, 5, 4, 5, 4, 3, 2,
                                               3, 2, 3, 2, 3, 2, 1, 0, 1, 0, 1, 0, 1, 0);
    uint64_t a4, b4;
    __m256i x, y;
    __mmask16 good;
    memcpy(&a4, a, 8);
    memcpy(&b4, b, 8);
    x = _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)a4), four_times);
    y = _mm256_set1_epi64x((long long)b4);
    good = _mm256_testn_epi16_mask(x, y);
    x = _mm256_xor_si256(_mm256_or_si256(_mm256_or_si256(x, y), ends), flip);
    _mm256_storeu_si256((__m256i *)keys, _mm256_maskz_compress_epi16(good, x));
    return combgpu__popcount64(good);
}

COMBGPU__PRIVATE COMBGPU__AVX512 __m256i combgpu__five_wide_ends(uint32_t at)
{
    return _mm256_set1_epi16((short)(1u << (at >> 4) | 1u << (at & 15)));
}

/* Writes the sets of all fillings of a ring to wide->keys, 15 bits each; returns their number. */
COMBGPU__PRIVATE COMBGPU__AVX512 int combgpu__five_wide_ring(combgpu__five_wide *wide, uint32_t way,
                                                             int ring)
{
    /* sides 4 * A + B; the top has A[0], the bottom the A of the ring's split */
    uint32_t bottom = way >> 4 & 15, left = way >> 8 & 15, right = way >> 12 & 15, top = way & 15;
    uint32_t side[4], i;
    const combgpu__five_half *one, *two;
    const __m256i flip = _mm256_set1_epi16(ring == 2 ? -1 : 0);
    const __m256i low15 = _mm256_set1_epi16(0x7fff);
    int turned = bottom < 8, count = 0, word, quad; /* A[0], A[1] opposite: the ends are turned */
    side[top / 4] = top % 4;
    side[bottom / 4] = bottom % 4;
    side[left / 4] = left % 4;
    side[right / 4] = right % 4;
    i = bottom / 4 == 2; /* A[0] goes with A[3], else with A[2] */
    one = &wide->half[16 * i + 4 * side[0] + side[2 + i]];
    two = &wide->half[16 * (3 - i) + 4 * side[1] + side[3 - i]];
    for (word = 0; word < 4; word++) {
        uint64_t both = one->some[0][word] & two->some[turned][word];
        uint64_t many = both & (one->many[0][word] | two->many[turned][word]);
        both &= ~many;
        for (; both; both &= both - 1) {
            uint32_t at = (uint32_t)(64 * word + combgpu__lowest_bit64(both));
            count += combgpu__five_wide_quads(
                one->paths[at], two->paths[turned ? (at << 4 | at >> 4) & 255 : at],
                combgpu__five_wide_ends(at), flip, wide->keys + count);
        }
        for (; many; many &= many - 1) {
            uint32_t at = (uint32_t)(64 * word + combgpu__lowest_bit64(many));
            int n1 = one->count[0][at], n2 = two->count[turned][at], k;
            for (k = 0; k < n1; k += 4)
                for (quad = 0; quad < n2; quad += 4)
                    count += combgpu__five_wide_quads(
                        one->paths[at] + k,
                        two->paths[turned ? (at << 4 | at >> 4) & 255 : at] + quad,
                        combgpu__five_wide_ends(at), flip, wide->keys + count);
        }
    }
    for (word = 0; word < count; word += 16) {
        __m256i *keys = (__m256i *)(void *)(wide->keys + word);
        _mm256_storeu_si256(keys, _mm256_and_si256(_mm256_loadu_si256(keys), low15));
    }
    return count;
}

/* Returns the number of squares of a configuration. `ways` is all 0 before and afterwards. */
COMBGPU__PRIVATE COMBGPU__AVX512 uint32_t combgpu__five_wide_configuration(combgpu__five_wide *wide,
                                                                           const uint32_t *tables,
                                                                           uint32_t number)
{
    uint32_t way = tables[COMBGPU__JOIN_AT_WAY + number % COMBGPU__MAGIC_WAYS], sum = 0;
    int count1, count2, i;
    combgpu__five_wide_pair(wide, tables, number / COMBGPU__MAGIC_WAYS);
    count1 = combgpu__five_wide_ring(wide, way & 0xffff, 1);
    for (i = 0; i < count1; i++) {
        wide->first[i] = wide->keys[i];
        wide->ways[wide->keys[i]]++;
    }
    count2 = combgpu__five_wide_ring(wide, way >> 16, 2);
    for (i = 0; i < count2; i++)
        sum += wide->ways[wide->keys[i]];
    for (i = 0; i < count1; i++)
        wide->ways[wide->first[i]] = 0;
    return sum;
}

COMBGPU__PRIVATE void combgpu__five_wide_start(combgpu__five_wide *wide)
{
    wide->pair = UINT32_MAX;
    memset(wide->ways, 0, sizeof wide->ways);
}
#endif

/* The memory of a worker, for either form of the solver. */
typedef union combgpu__five_joiner {
    combgpu__five_join join;
#ifdef COMBGPU__X86
    combgpu__five_wide wide;
#endif
} combgpu__five_joiner;

COMBGPU__PRIVATE void combgpu__five_joiner_start(combgpu__five_joiner *joiner,
                                                 const combgpu__worker *worker)
{
#ifdef COMBGPU__X86
    if (worker->simd == COMBGPU__SIMD_AVX512) {
        combgpu__five_wide_start(&joiner->wide);
        return;
    }
#endif
    combgpu__five_join_start(&joiner->join, worker->tables);
}

/* Returns the number of squares of a configuration, up to the M-group. */
COMBGPU__PRIVATE uint32_t combgpu__five_joined(combgpu__five_joiner *joiner,
                                               const combgpu__worker *worker, uint32_t number)
{
#ifdef COMBGPU__X86
    if (worker->simd == COMBGPU__SIMD_AVX512)
        return combgpu__five_wide_configuration(&joiner->wide, worker->tables, number);
#endif
    return combgpu__five_configuration(&joiner->join, worker->tables, number);
}

COMBGPU__PRIVATE int combgpu__five_join_step(combgpu__worker *worker, void *memory, uint64_t number)
{
    const uint32_t *tables = worker->tables;
    uint32_t centre = tables[COMBGPU__JOIN_AT_PAIR + 2 * (number / COMBGPU__MAGIC_WAYS)] & 31;
    uint32_t found[2];
    found[0] = (uint32_t)number;
    found[1] = combgpu__five_joined((combgpu__five_joiner *)memory, worker, found[0]);
    if (found[1] && tables[COMBGPU__JOIN_AT_LIST] && !combgpu__emit(worker, found)) return 0;
    worker->totals[COMBGPU__MAGIC_HASH] += combgpu__mix(number << 32 | found[1]);
    worker->totals[COMBGPU__MAGIC_JOINED + centre] += found[1];
    return 1;
}

COMBGPU__PRIVATE void combgpu__five_join_solve(combgpu__worker *worker)
{
    combgpu__five_joiner *joiner =
        (combgpu__five_joiner *)combgpu__magic_work(worker, sizeof(combgpu__five_joiner));
    combgpu__five_joiner_start(joiner, worker);
    combgpu__magic_range_solve(worker, joiner, combgpu__five_join_step);
}
