/* No-three-in-line: the C solver with AVX-512 for boards of 16 words, one register each: 2 to 3
   times the steps per second. */
#ifdef COMBGPU__X86

typedef struct combgpu__no3_level512 {
    __m512i words;
    uint32_t one, full, count; /* lines that need one point; none, or are unused */
    uint32_t line;             /* as in combgpu__no3_level */
} combgpu__no3_level512;

/* Constants of a search: class << 5 of a line that needs two points, and one, by the points
   available from its orbits, 0 to 31; the line numbers; the places of weight 2. */
typedef struct combgpu__no3_still512 {
    __m512i two, one, line, twice;
} combgpu__no3_still512;

COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__no3_still(const combgpu__no3_view *view,
                                                         combgpu__no3_still512 *still)
{
    uint16_t two[32], one[32], line[32];
    uint32_t i, nibbles[2] = {view->tables[COMBGPU__NO3_AT_TWO], view->tables[COMBGPU__NO3_AT_ONE]};
    for (i = 0; i < 32; i++) {
        uint32_t shift = 4 * (i < 7 ? i : 7);
        two[i] = (uint16_t)((nibbles[0] >> shift & 15) << 5);
        one[i] = (uint16_t)((nibbles[1] >> shift & 15) << 5);
        line[i] = (uint16_t)(view->split ? i : i >> 1);
    }
    still->two = _mm512_loadu_si512(two);
    still->one = _mm512_loadu_si512(one);
    still->line = _mm512_loadu_si512(line);
    still->twice = _mm512_loadu_si512(view->twice);
}

/* Returns class << 5 | line, or 0x7fff if no line needs a point. Without `split`, `there` has a
   line's points in the low half of a word, at most 31, as all classes from 7 on are equal. */
COMBGPU__INLINE COMBGPU__AVX512 uint32_t combgpu__no3_select512(const combgpu__no3_still512 *still,
                                                                __m512i words, uint32_t one,
                                                                uint32_t full, int split)
{
    const __m512i none = _mm512_set1_epi16(0x7fff);
    __m512i key;
    __m256i half;
    if (split) {
        __m512i there = _mm512_popcnt_epi16(words);
        key = _mm512_permutexvar_epi16(there, still->two);
        key = _mm512_mask_permutexvar_epi16(key, one, there, still->one);
        key = _mm512_mask_mov_epi16(_mm512_or_si512(key, still->line), full, none);
    } else {
        __m512i there = _mm512_add_epi32(
            _mm512_popcnt_epi32(words), _mm512_popcnt_epi32(_mm512_and_si512(words, still->twice)));
        there = _mm512_min_epi32(there, _mm512_set1_epi32(31));
        key = _mm512_permutexvar_epi16(there, still->two);
        key = _mm512_mask_blend_epi32((__mmask16)one, key,
                                      _mm512_permutexvar_epi16(there, still->one));
        key = _mm512_or_si512(key, still->line);
        key = _mm512_mask_mov_epi32(key, (__mmask16)full, none);
        key = _mm512_or_si512(key, _mm512_set1_epi32(0x7fff0000));
    }
    half = _mm256_min_epu16(_mm512_castsi512_si256(key), _mm512_extracti64x4_epi64(key, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(
               _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)))) &
           0xffff;
}

COMBGPU__INLINE COMBGPU__AVX512 void combgpu__no3_board512(const combgpu__no3_level *from,
                                                           int lines, combgpu__no3_level512 *to)
{
    int i;
    to->words = _mm512_loadu_si512(from->words);
    to->one = 0;
    to->full = lines < 32 ? 0xffffffffu << lines : 0;
    to->count = from->count;
    to->line = from->line;
    for (i = 0; i < lines; i++) {
        to->one |= (uint32_t)(from->need[i] == 1) << i;
        to->full |= (uint32_t)(from->need[i] == 0) << i;
    }
}

/* As combgpu__no3_give. */
COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__no3_give512(combgpu__worker *worker,
                                                           const combgpu__no3_level512 *stack,
                                                           int top,
                                                           const combgpu__no3_level512 *now,
                                                           const uint16_t *placed, int lines)
{
    uint32_t task[COMBGPU__NO3_TASK_ROOM];
    int at, i;
    for (at = 0; at <= top; at++) {
        const combgpu__no3_level512 *from = at < top ? &stack[at] : now;
        combgpu__no3_level level;
        _mm512_storeu_si512(level.words, from->words);
        level.count = from->count;
        level.line = from->line;
        for (i = 0; i < lines; i++)
            level.need[i] = from->full >> i & 1 ? 0 : from->one >> i & 1 ? 1 : 2;
        combgpu__no3_put_task(task, &level, placed, 16, lines);
        combgpu__give(worker, task);
    }
}

/* Reduces the points that a line needs by `weight`. Returns the rest. */
COMBGPU__INLINE uint32_t combgpu__no3_less512(combgpu__no3_level512 *now, uint32_t line,
                                              uint32_t weight)
{
    uint32_t bit = 1u << line, last = weight == 2 ? bit : weight ? now->one & bit : 0;
    now->full |= last;
    now->one = weight == 1 ? (now->one ^ bit) : now->one;
    return now->full & bit ? 0 : now->one & bit ? 1 : 2;
}

/* A line's places, moved to the front of a word. */
COMBGPU__INLINE COMBGPU__AVX512 uint32_t combgpu__no3_line512(__m512i words, uint32_t line,
                                                              int split)
{
    uint32_t word = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(
        _mm512_maskz_compress_epi32((__mmask16)(1u << (split ? line >> 1 : line)), words)));
    return !split ? word : line & 1 ? word & 0xffff0000u : word << 16;
}

/* As combgpu__no3_place; own: the orbit's row. */
COMBGPU__INLINE COMBGPU__AVX512 void combgpu__no3_place512(const combgpu__no3_view *view,
                                                           combgpu__no3_level512 *now,
                                                           uint16_t *placed, uint32_t line,
                                                           uint32_t place, __m512i own)
{
    uint32_t orbit = COMBGPU__NO3_PLACE_ORBIT(place), other = COMBGPU__NO3_PLACE_OTHER(place);
    uint32_t need, j;
    const uint32_t *rows = view->rows;
    const char *pairs = (const char *)view->pairs + 2 * (size_t)(orbit * view->stride);
    uint16_t number;
    __m512i gone, gone2;
    now->line = 0;
    need = combgpu__no3_less512(now, line, COMBGPU__NO3_PLACE_WEIGHT(place));
    gone = _mm512_or_si512(
        own, _mm512_loadu_si512(rows + 16 * (size_t)(view->line_rows + 3 * line + need)));
    need = combgpu__no3_less512(now, other, COMBGPU__NO3_PLACE_OTHER_WEIGHT(place));
    gone2 = _mm512_loadu_si512(rows + 16 * (size_t)(view->line_rows + 3 * other + need));
    placed[now->count++] = (uint16_t)orbit;
    for (j = 0; j + 2 <= now->count; j += 2) {
        memcpy(&number, pairs + 2 * (size_t)placed[j], sizeof number);
        gone = _mm512_or_si512(gone, _mm512_loadu_si512(rows + 16 * (size_t)number));
        memcpy(&number, pairs + 2 * (size_t)placed[j + 1], sizeof number);
        gone2 = _mm512_or_si512(gone2, _mm512_loadu_si512(rows + 16 * (size_t)number));
    }
    if (j < now->count) {
        memcpy(&number, pairs + 2 * (size_t)placed[j], sizeof number);
        gone = _mm512_or_si512(gone, _mm512_loadu_si512(rows + 16 * (size_t)number));
    }
    now->words = _mm512_andnot_si512(_mm512_or_si512(gone, gone2), now->words);
}

COMBGPU__INLINE COMBGPU__AVX512 void combgpu__no3_search512(combgpu__worker *worker,
                                                            const combgpu__no3_view *view,
                                                            int split)
{
    combgpu__no3_level512 *stack = (combgpu__no3_level512 *)combgpu__no3_stack(worker), now;
    combgpu__no3_still512 still;
    combgpu__no3_board board;
    const uint32_t *task;
    int lines = split ? 32 : 16;
    combgpu__no3_still(view, &still);
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, &board, 16, lines);
        combgpu__no3_board512(&board.now, lines, &now);
        for (;;) {
            uint32_t line, word, place;
            int points;
            __m512i own;
            if (combgpu__spent(worker)) {
                combgpu__no3_give512(worker, stack, top, &now, board.placed, lines);
                return;
            }
            if (!now.line) {
                uint32_t key = combgpu__no3_select512(&still, now.words, now.one, now.full, split);
                if (key == 0x7fff) {
                    uint32_t record[COMBGPU__NO3_RECORD_ROOM];
                    record[0] = now.count;
                    combgpu__no3_put_placed(record + 1, board.placed, now.count, 16);
                    if (!combgpu__emit(worker, record)) {
                        combgpu__no3_give512(worker, stack, top, &now, board.placed, lines);
                        return;
                    }
                }
                worker->totals[0]++;
                now.line = 1 + (key & 31);
                if (key == 0x7fff || key < 0x20) {
                    if (!top) break;
                    now = stack[--top];
                }
            }
            line = now.line - 1;
            word = combgpu__no3_line512(now.words, line, split);
            place = view->places[line * 64 + (uint32_t)combgpu__no3_leading(word)];
            own =
                _mm512_loadu_si512(view->rows + 16 * (size_t)(1 + COMBGPU__NO3_PLACE_ORBIT(place)));
            points = combgpu__popcount64(word);
            if (!split) points += combgpu__popcount64(word & view->twice[line]);
            if (points + (int)(now.one >> line & 1) >= 2 + (int)COMBGPU__NO3_PLACE_WEIGHT(place)) {
                stack[top] = now;
                stack[top].words = _mm512_andnot_si512(own, now.words);
                top++;
            }
            combgpu__no3_place512(view, &now, board.placed, line, place, own);
        }
    }
}

COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__no3_solve512(combgpu__worker *worker,
                                                            const combgpu__no3_view *view)
{
    if (view->split)
        combgpu__no3_search512(worker, view, 1);
    else
        combgpu__no3_search512(worker, view, 0);
}
#endif
