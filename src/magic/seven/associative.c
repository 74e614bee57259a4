/* Counts associative squares of order 7 in parts. */

/* The numbers of opposite cells, less 25, are v and -v. The *sizes* |v| of the 24 pairs of opposite
   cells are 1 to 24. Rows 0 to 2 and columns 0 to 2 must add up to 0; the other lines follow.

   Rows i and 6 - i may be swapped, and rows 0, 1 and 2 permuted if 6, 5 and 4 are permuted alike;
   so may columns, and the square may be transposed. These 2 (2^3 3!)^2 = 4,608 maps move every
   square. One of each class has positive values in the middle column of rows 0 to 2 and in the
   middle row of columns 0 to 2, both ascending, and the smallest of the six in the column: that is
   its *frame*.

   Two cells (x, y) of a row, mirror images of each other, enter their row as x + y and their columns
   as x - y and y - x. A row has six values of sum -c, c from the frame: a *signing* of six sizes, of
   which a set has at most 4. A *filling* of the row is a signing and one of the 90 ways to put the
   six values as pairs into three columns; only the *gaps* |x - y| matter, since each pair may be
   swapped. Column j is right if its gaps, with signs, add up to its number m of the frame.

   Of three gaps, how many signs do? At most one way, but two if one gap is m and the others are
   equal, and three if all are m. To make each fit or not, a filling with a gap m is listed *again*,
   with code AGAIN in place of that gap. This one fits only if the two other gaps of the column are
   equal and neither is coded AGAIN, and, because of m, m, m, not in row 0 if that of row 1 is m.

   A step is a frame and a set of six sizes for row 2. All fillings of row 2 with gaps of the same
   parities are taken in batches of at most 32, a bit each. A batch has a table *fits*: by column
   and gaps of rows 0 and 1, the fillings that fit. So a pair of fillings of rows 0 and 1 takes
   three words, whose common bits are counted, for every splitting of the other 12 sizes. */

#define COMBGPU__ASSOCIATIVE_BLOCKS 37 /* of 16 fillings: 518 and 8 parities */
#define COMBGPU__ASSOCIATIVE_NO_CODE 31

/* The fillings of a row, by parities of gaps: bit j for column j. A block has the codes of column 0
   for 16 fillings, then those of columns 1 and 2. */
typedef struct combgpu__seven_associative_list {
    uint16_t count[8], first[8]; /* fillings; block */
    unsigned char code[COMBGPU__ASSOCIATIVE_BLOCKS][3][16];
} combgpu__seven_associative_list;

typedef struct combgpu__seven_associative_work {
    uint32_t fits[3][2][COMBGPU__ASSOCIATIVE_AGAIN + 1][32]; /* [column][parity and code of row 0's
                                                                gap][code of row 1's] */
    uint32_t bits[3][128], again[3];             /* of a batch: by column and gap; listed again */
    uint32_t filling[COMBGPU__ASSOCIATIVE_ROOM]; /* codes, 5 bits each; from bit 16 on parities */
    int splittings;
    combgpu__seven_associative_list last,
        list[COMBGPU__ASSOCIATIVE_HALVES][2]; /* of rows 2, 0 and 1 */
} combgpu__seven_associative_work;

/* What a pair of a row adds to a filling in column 0: the code of its gap, from bit 16 on the gap's
   parity, from bit 20 on whether it is the frame's number `row`. In column j the codes are shifted
   by 5 j, the others by j. */
COMBGPU__INLINE void combgpu__seven_associative_pairs(const int *value, const int *row,
                                                      uint32_t (*pair)[15])
{
    int u, v, j, at = 0;
    for (v = 1; v < 6; v++)
        for (u = 0; u < v; u++, at++) {
            uint32_t gap = (uint32_t)abs(value[u] - value[v]);
            for (j = 0; j < 3; j++)
                pair[j][at] = gap >> 1 << 5 * j | (gap & 1) << (16 + j) |
                              (uint32_t)(gap == (uint32_t)row[j]) << (20 + j);
        }
}

/* Lists the fillings of a signing, and again for each set of columns whose gap is the frame's
   number. Returns the end of the list. */
COMBGPU__INLINE int combgpu__seven_associative_sign(combgpu__seven_associative_work *work,
                                                    int count, const uint32_t *tables,
                                                    const int *value, const int *row)
{
    const uint32_t *pairing = tables + COMBGPU__ASSOCIATIVE_AT_PAIRING;
    uint32_t pair[3][15], set, same;
    int k, j;
    combgpu__seven_associative_pairs(value, row, pair);
    for (k = 0; k < 90; k++) {
        uint32_t filling =
            pair[0][pairing[k] & 15] | pair[1][pairing[k] >> 4 & 15] | pair[2][pairing[k] >> 8];
        work->filling[count++] = filling;
        same = filling >> 20;
        for (set = same; set; set = (set - 1) & same) {
            uint32_t coded = filling;
            for (j = 0; j < 3; j++)
                if (set >> j & 1)
                    coded = (coded & ~(31u << 5 * j)) | (uint32_t)COMBGPU__ASSOCIATIVE_AGAIN
                                                            << 5 * j;
            work->filling[count++] = coded;
        }
    }
    return count;
}

/* Lists the fillings of a row with these six sizes and number of the column. */
COMBGPU__INLINE int combgpu__seven_associative_fill(combgpu__seven_associative_work *work,
                                                    const uint32_t *tables, const int *size,
                                                    int column, const int *row,
                                                    combgpu__seven_associative_list *list)
{
    int minus[64], sum = column, signs, count = 0, value[6], i, k, at[8];
    for (i = 0; i < 6; i++)
        sum += size[i];
    if (sum % 2) return 0;
    minus[0] = 0;
    for (i = 0; i < 6; i++)
        for (k = 0; k < 1 << i; k++)
            minus[k + (1 << i)] = minus[k] + size[i];
    for (signs = 0; signs < 64; signs++) {
        if (2 * minus[signs] != sum) continue;
        for (i = 0; i < 6; i++)
            value[i] = signs >> i & 1 ? -size[i] : size[i];
        count = combgpu__seven_associative_sign(work, count, tables, value, row);
    }
    if (!count) return 0;
    memset(list->count, 0, sizeof list->count);
    for (i = 0; i < count; i++)
        list->count[work->filling[i] >> 16 & 7]++;
    for (i = k = 0; k < 8; k++) {
        list->first[k] = (uint16_t)i;
        at[k] = 16 * i;
        i += (list->count[k] + 15) / 16;
    }
    memset(list->code, COMBGPU__ASSOCIATIVE_NO_CODE, (size_t)i * 48);
    for (i = 0; i < count; i++) {
        uint32_t filling = work->filling[i];
        int to = at[filling >> 16 & 7]++;
        for (k = 0; k < 3; k++)
            list->code[to / 16][k][to % 16] = (unsigned char)(filling >> 5 * k & 31);
    }
    return count;
}

/* Makes the bits of a batch: up to 32 fillings of row 2 with these parities, from `from` on. */
COMBGPU__INLINE void combgpu__seven_associative_batch(combgpu__seven_associative_work *work,
                                                      int parities, int from)
{
    const combgpu__seven_associative_list *list = &work->last;
    int i, j;
    memset(work->bits, 0, sizeof work->bits);
    memset(work->again, 0, sizeof work->again);
    for (i = from; i < list->count[parities] && i < from + 32; i++)
        for (j = 0; j < 3; j++) {
            int code = list->code[list->first[parities] + i / 16][j][i % 16];
            uint32_t bit = 1u << (i - from);
            if (code == COMBGPU__ASSOCIATIVE_AGAIN)
                work->again[j] |= bit;
            else
                work->bits[j][2 * code + (parities >> j & 1)] |= bit;
        }
}

/* Makes the table of a batch. `parity` is that of the column's gap in row 2. */
COMBGPU__INLINE void combgpu__seven_associative_fits(combgpu__seven_associative_work *work, int j,
                                                     int m, int parity)
{
    const uint32_t *bits = work->bits[j];
    int p, k, i;
    for (p = 0; p < 2; p++)
        for (k = 0; k <= COMBGPU__ASSOCIATIVE_AGAIN; k++) {
            uint32_t *fits = work->fits[j][p][k];
            int x = 2 * k + p, y = (p + parity + m) % 2;
            for (i = 0; i < COMBGPU__ASSOCIATIVE_AGAIN; i++, y += 2) {
                if (k == COMBGPU__ASSOCIATIVE_AGAIN) {
                    fits[i] = y == m ? 0 : bits[y];
                    continue;
                }
                fits[i] = bits[abs(x + y - m)] | bits[abs(x - y - m)] | bits[abs(x - y + m)] |
                          bits[x + y + m];
                if (x == y) fits[i] |= work->again[j];
            }
            fits[i] = k == COMBGPU__ASSOCIATIVE_AGAIN ? 0 : bits[x];
            fits[COMBGPU__ASSOCIATIVE_NO_CODE] = 0;
        }
}

/* Returns the squares of a splitting: fillings of rows 0 and 1, each with one parity. */
COMBGPU__INLINE uint64_t combgpu__seven_associative_meet(
    const combgpu__seven_associative_work *work, const combgpu__seven_associative_list *zero,
    const combgpu__seven_associative_list *one, int p0, int p1)
{
    uint64_t squares = 0;
    int i, k;
    for (i = 0; i < zero->count[p0]; i++) {
        const unsigned char(*code)[16] = zero->code[zero->first[p0] + i / 16];
        const uint32_t *a = work->fits[0][p0 & 1][code[0][i % 16]];
        const uint32_t *b = work->fits[1][p0 >> 1 & 1][code[1][i % 16]];
        const uint32_t *c = work->fits[2][p0 >> 2][code[2][i % 16]];
        for (k = 0; k < one->count[p1]; k++) {
            const unsigned char(*with)[16] = one->code[one->first[p1] + k / 16];
            squares += (uint64_t)combgpu__popcount64(a[with[0][k % 16]] & b[with[1][k % 16]] &
                                                     c[with[2][k % 16]]);
        }
    }
    return squares;
}

#ifdef COMBGPU__X86
COMBGPU__PRIVATE COMBGPU__AVX512 uint64_t combgpu__seven_associative_meet_avx512(
    const combgpu__seven_associative_work *work, const combgpu__seven_associative_list *zero,
    const combgpu__seven_associative_list *one, int p0, int p1)
{
    __m512i squares = _mm512_setzero_si512();
    int i, k, blocks = (one->count[p1] + 15) / 16;
    for (i = 0; i < zero->count[p0]; i++) {
        const unsigned char(*code)[16] = zero->code[zero->first[p0] + i / 16];
        const uint32_t *a = work->fits[0][p0 & 1][code[0][i % 16]];
        const uint32_t *b = work->fits[1][p0 >> 1 & 1][code[1][i % 16]];
        const uint32_t *c = work->fits[2][p0 >> 2][code[2][i % 16]];
        const __m512i a0 = _mm512_loadu_si512(a), a1 = _mm512_loadu_si512(a + 16);
        const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 16);
        const __m512i c0 = _mm512_loadu_si512(c), c1 = _mm512_loadu_si512(c + 16);
        for (k = 0; k < blocks; k++) {
            const __m128i *with = (const __m128i *)(const void *)one->code[one->first[p1] + k];
            const __m512i x = _mm512_cvtepu8_epi32(_mm_loadu_si128(with));
            const __m512i y = _mm512_cvtepu8_epi32(_mm_loadu_si128(with + 1));
            const __m512i z = _mm512_cvtepu8_epi32(_mm_loadu_si128(with + 2));
            squares = _mm512_add_epi32(squares,
                                       _mm512_popcnt_epi32(_mm512_and_si512(
                                           _mm512_and_si512(_mm512_permutex2var_epi32(a0, x, a1),
                                                            _mm512_permutex2var_epi32(b0, y, b1)),
                                           _mm512_permutex2var_epi32(c0, z, c1))));
        }
    }
    return (uint32_t)_mm512_reduce_add_epi32(squares); /* below 518 * 518 * 32 */
}
#endif

/* Lists the fillings of rows 0 and 1 for every splitting with any. */
COMBGPU__INLINE void combgpu__seven_associative_split(combgpu__seven_associative_work *work,
                                                      const uint32_t *tables,
                                                      const combgpu__seven_associative_frame *frame)
{
    int i, size[6];
    work->splittings = 0;
    for (i = 0; i < COMBGPU__ASSOCIATIVE_HALVES; i++) {
        uint32_t half = tables[COMBGPU__ASSOCIATIVE_AT_HALF + i];
        combgpu__seven_associative_list *list = work->list[work->splittings];
        combgpu__seven_associative_elements(half, frame->rest, size);
        if (!combgpu__seven_associative_fill(work, tables, size, frame->column[0], frame->row,
                                             &list[0]))
            continue;
        combgpu__seven_associative_elements(0xfff ^ half, frame->rest, size);
        if (combgpu__seven_associative_fill(work, tables, size, frame->column[1], frame->row,
                                            &list[1]))
            work->splittings++;
    }
}

/* Returns the squares of a step, up to all 4,608 maps. */
COMBGPU__INLINE uint64_t combgpu__seven_associative_count(combgpu__seven_associative_work *work,
                                                          const uint32_t *tables, uint64_t step,
                                                          int simd)
{
    combgpu__seven_associative_frame frame;
    uint64_t squares = 0;
    int p, from, i, j, q, odd = 0;
    (void)simd; /* unused with a single form */
    combgpu__seven_associative_frame_of(tables, step, &frame);
    if (!combgpu__seven_associative_fill(work, tables, frame.last, frame.column[2], frame.row,
                                         &work->last))
        return 0;
    combgpu__seven_associative_split(work, tables, &frame);
    for (j = 0; j < 3; j++)
        odd |= frame.row[j] % 2 << j;
    for (p = 0; p < 8; p++)
        for (from = 0; from < work->last.count[p]; from += 32) {
            combgpu__seven_associative_batch(work, p, from);
            for (j = 0; j < 3; j++)
                combgpu__seven_associative_fits(work, j, frame.row[j], p >> j & 1);
            for (i = 0; i < work->splittings; i++)
                for (q = 0; q < 8; q++) {
                    const combgpu__seven_associative_list *list = work->list[i];
                    if (!list[0].count[q]) continue;
#ifdef COMBGPU__X86
                    if (simd == COMBGPU__SIMD_AVX512) {
                        squares += combgpu__seven_associative_meet_avx512(work, &list[0], &list[1],
                                                                          q, q ^ p ^ odd);
                        continue;
                    }
#endif
                    squares +=
                        combgpu__seven_associative_meet(work, &list[0], &list[1], q, q ^ p ^ odd);
                }
        }
    return squares;
}

COMBGPU__INLINE void combgpu__seven_associative_body(combgpu__worker *worker)
{
    combgpu__seven_associative_work *work = (combgpu__seven_associative_work *)combgpu__magic_work(
        worker, sizeof(combgpu__seven_associative_work));
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t step = combgpu__get64(task), end = combgpu__get64(task + 2), squares;
        for (; step < end && !combgpu__spent(worker); step++) {
            squares = combgpu__seven_associative_count(work, worker->tables, step, worker->simd);
            worker->totals[COMBGPU__MAGIC_HASH] += combgpu__mix(combgpu__mix(step) ^ squares);
            worker->totals[COMBGPU__MAGIC_SPLIT] += squares;
            worker->totals[0]++;
        }
        if (step == end) continue;
        combgpu__give_range(worker, step, end);
        return;
    }
}

COMBGPU__SOLVER_FORMS(combgpu__seven_associative_solve, combgpu__seven_associative_body)
