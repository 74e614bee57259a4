/* ---- the C solver */

/* Gives back a search: the stack's levels and the board, all of whose lists begin alike. */
COMBGPU__PRIVATE void combgpu__no3_give(combgpu__worker *worker, const combgpu__no3_level *stack,
                                        int top, const combgpu__no3_board *board, int words,
                                        int lines)
{
    uint32_t task[COMBGPU__NO3_WORDS + 72];
    int i;
    for (i = 0; i <= top; i++) {
        combgpu__no3_put_task(task, i < top ? &stack[i] : &board->now, board->placed, words, lines);
        combgpu__give(worker, task);
    }
}

COMBGPU__NO3_INLINE void combgpu__no3_copy(combgpu__no3_level *to, const combgpu__no3_level *from,
                                           int words, int lines)
{
    memcpy(to->words, from->words, (size_t)words * sizeof to->words[0]);
    memcpy(to->need, from->need, (size_t)lines * sizeof to->need[0]);
    to->count = from->count;
}

COMBGPU__NO3_INLINE void combgpu__no3_search(combgpu__worker *worker, const combgpu__no3_view *view,
                                             int words, int split, int wide)
{
    combgpu__no3_level stack[COMBGPU__NO3_ORBITS + 1];
    combgpu__no3_board board;
    const uint32_t *task;
    int lines = split ? 32 : words >> wide;
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, &board, words, lines);
        for (;;) {
            uint32_t key, place;
            if (combgpu__spent(worker)) {
                combgpu__no3_give(worker, stack, top, &board, words, lines);
                return;
            }
            key = combgpu__no3_select(view, &board.now, words, split, wide);
            if (key == COMBGPU__NO3_SOLVED) {
                uint32_t record[65];
                record[0] = board.now.count;
                combgpu__no3_put_placed(record + 1, board.placed, board.now.count, words);
                if (!combgpu__emit(worker, record)) {
                    combgpu__no3_give(worker, stack, top, &board, words, lines);
                    return;
                }
            }
            worker->totals[0]++;
            if (key == COMBGPU__NO3_SOLVED || !(key >> 28)) {
                if (!top) break;
                combgpu__no3_copy(&board.now, &stack[--top], words, lines);
                continue;
            }
            place = combgpu__no3_place_of(view, key);
            if (key >> 28 > 1) {
                combgpu__no3_copy(&stack[top], &board.now, words, lines);
                combgpu__no3_remove(view, &stack[top++], place & 4095, words);
            }
            combgpu__no3_place(view, &board, key >> 8 & 255, place, words);
        }
    }
}

/* A board of 16 words in one register: 2 to 3 times the steps per second of the text above. */
#if defined(COMBGPU__VECTOR) && defined(__AVX512BW__) && defined(__AVX512BITALG__) &&              \
    defined(__AVX512VPOPCNTDQ__)
#define COMBGPU__NO3_512

typedef struct combgpu__no3_level512 {
    __m512i words;
    uint32_t one, full, count; /* lines that need one point; that need none, or are unused */
} combgpu__no3_level512;

/* What stays the same: classes << 5 for `two` and `one` by what is there, 0 to 31, the line numbers,
   the places of weight 2. */
typedef struct combgpu__no3_still512 {
    __m512i two, one, line, twice;
} combgpu__no3_still512;

COMBGPU__PRIVATE void combgpu__no3_still(const combgpu__no3_view *view,
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

/* select: class << 5 | line; 0x7fff if no line needs a point. Words of 32 bits have what they can
   give in their low half, at most 31 (more says no more), and nothing in the other. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_select512(const combgpu__no3_still512 *still,
                                                    __m512i words, uint32_t one, uint32_t full,
                                                    int split)
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

COMBGPU__NO3_INLINE void combgpu__no3_board512(const combgpu__no3_level *from, int lines,
                                               combgpu__no3_level512 *to)
{
    int i;
    to->words = _mm512_loadu_si512(from->words);
    to->one = 0;
    to->full = lines < 32 ? 0xffffffffu << lines : 0;
    to->count = from->count;
    for (i = 0; i < lines; i++) {
        to->one |= (uint32_t)(from->need[i] == 1) << i;
        to->full |= (uint32_t)(from->need[i] == 0) << i;
    }
}

/* Gives back a search: the stack's levels and the board. */
COMBGPU__PRIVATE void combgpu__no3_give512(combgpu__worker *worker,
                                           const combgpu__no3_level512 *stack, int top,
                                           const combgpu__no3_level512 *now, const uint16_t *placed,
                                           int lines)
{
    uint32_t task[COMBGPU__NO3_WORDS + 72];
    int at, i;
    for (at = 0; at <= top; at++) {
        const combgpu__no3_level512 *from = at < top ? &stack[at] : now;
        combgpu__no3_level level;
        _mm512_storeu_si512(level.words, from->words);
        level.count = from->count;
        for (i = 0; i < lines; i++)
            level.need[i] = from->full >> i & 1 ? 0 : from->one >> i & 1 ? 1 : 2;
        combgpu__no3_put_task(task, &level, placed, 16, lines);
        combgpu__give(worker, task);
    }
}

/* One line's missing points become less by `weight`; returns them. */
COMBGPU__NO3_INLINE uint32_t combgpu__no3_less512(combgpu__no3_level512 *now, uint32_t line,
                                                  uint32_t weight)
{
    uint32_t bit = 1u << line, last = weight == 2 ? bit : weight ? now->one & bit : 0;
    now->full |= last;
    now->one = weight == 1 ? (now->one ^ bit) : now->one;
    return now->full & bit ? 0 : now->one & bit ? 1 : 2;
}

COMBGPU__NO3_INLINE void combgpu__no3_search512(combgpu__worker *worker,
                                                const combgpu__no3_view *view, int split)
{
    combgpu__no3_level512 stack[COMBGPU__NO3_ORBITS + 1], now;
    combgpu__no3_still512 still;
    combgpu__no3_board board;
    const uint32_t *task, *rows = view->rows;
    int lines = split ? 32 : 16;
    combgpu__no3_still(view, &still);
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, &board, 16, lines);
        combgpu__no3_board512(&board.now, lines, &now);
        for (;;) {
            uint32_t key, line, word, place, orbit, other, need, j;
            uint16_t number;
            const char *pairs;
            __m512i gone, gone2, own;
            if (combgpu__spent(worker)) {
                combgpu__no3_give512(worker, stack, top, &now, board.placed, lines);
                return;
            }
            key = combgpu__no3_select512(&still, now.words, now.one, now.full, split);
            if (key == 0x7fff) {
                uint32_t record[65];
                record[0] = now.count;
                combgpu__no3_put_placed(record + 1, board.placed, now.count, 16);
                if (!combgpu__emit(worker, record)) {
                    combgpu__no3_give512(worker, stack, top, &now, board.placed, lines);
                    return;
                }
            }
            worker->totals[0]++;
            if (key == 0x7fff || key < 0x20) {
                if (!top) break;
                now = stack[--top];
                continue;
            }
            line = key & 31;
            /* the line's word, moved to the front */
            word = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(_mm512_maskz_compress_epi32(
                (__mmask16)(1u << (split ? line >> 1 : line)), now.words)));
            if (split) word = line & 1 ? word & 0xffff0000u : word << 16;
            place = view->places[line * 64 + (uint32_t)combgpu__no3_leading(word)];
            orbit = place & 4095;
            other = place >> 12 & 127;
            own = _mm512_loadu_si512(rows + 16 * (size_t)(1 + orbit));
            if (key >= 0x40) { /* not forced */
                stack[top] = now;
                stack[top].words = _mm512_andnot_si512(own, now.words);
                top++;
            }
            need = combgpu__no3_less512(&now, line, place >> 19 & 3);
            gone = _mm512_or_si512(
                own, _mm512_loadu_si512(rows + 16 * (size_t)(view->line_rows + 3 * line + need)));
            need = combgpu__no3_less512(&now, other, place >> 21 & 3);
            gone2 = _mm512_loadu_si512(rows + 16 * (size_t)(view->line_rows + 3 * other + need));
            board.placed[now.count++] = (uint16_t)orbit;
            pairs = (const char *)view->pairs + 2 * (size_t)(orbit * view->stride);
            for (j = 0; j + 2 <= now.count; j += 2) {
                memcpy(&number, pairs + 2 * (size_t)board.placed[j], sizeof number);
                gone = _mm512_or_si512(gone, _mm512_loadu_si512(rows + 16 * (size_t)number));
                memcpy(&number, pairs + 2 * (size_t)board.placed[j + 1], sizeof number);
                gone2 = _mm512_or_si512(gone2, _mm512_loadu_si512(rows + 16 * (size_t)number));
            }
            if (j < now.count) {
                memcpy(&number, pairs + 2 * (size_t)board.placed[j], sizeof number);
                gone = _mm512_or_si512(gone, _mm512_loadu_si512(rows + 16 * (size_t)number));
            }
            now.words = _mm512_andnot_si512(_mm512_or_si512(gone, gone2), now.words);
        }
    }
}
#endif

/* The same text for formats of the board, so that sizes are constants in it. */
COMBGPU__PRIVATE void combgpu__no3_solve(combgpu__worker *worker)
{
    combgpu__no3_view view;
    combgpu__no3_look(worker->tables, &view);
#ifdef COMBGPU__NO3_512
    if (view.split)
        combgpu__no3_search512(worker, &view, 1);
    else if (view.words == 16)
        combgpu__no3_search512(worker, &view, 0);
#else
    if (view.split)
        combgpu__no3_search(worker, &view, 16, 1, 0);
    else if (view.words == 16)
        combgpu__no3_search(worker, &view, 16, 0, 0);
#endif
    else if (view.words == 32)
        combgpu__no3_search(worker, &view, 32, 0, 0);
    else if (view.wide)
        combgpu__no3_search(worker, &view, view.words, 0, 1);
    else
        combgpu__no3_search(worker, &view, view.words, 0, 0);
}

