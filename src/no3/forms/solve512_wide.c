/* No-three-in-line: the C solver with AVX-512 for boards of 32 to 192 words. */
#ifdef COMBGPU__X86

/* Constants of a search, 16 lanes each: class << 8 of a line that needs two points, and one, by the
   points that its orbits can give; the lane numbers; even and odd words of two registers. */
typedef struct combgpu__no3_wide512 {
    __m512i two, one, lane, even, odd;
} combgpu__no3_wide512;

COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__no3_wide_still(const combgpu__no3_view *view,
                                                              combgpu__no3_wide512 *still)
{
    uint32_t two[16], one[16], lane[16], i;
    for (i = 0; i < 16; i++) {
        uint32_t shift = 4 * (i < 7 ? i : 7);
        two[i] = (view->tables[COMBGPU__NO3_AT_TWO] >> shift & 15) << 8;
        one[i] = (view->tables[COMBGPU__NO3_AT_ONE] >> shift & 15) << 8;
        lane[i] = i;
    }
    still->two = _mm512_loadu_si512(two);
    still->one = _mm512_loadu_si512(one);
    still->lane = _mm512_loadu_si512(lane);
    still->even = _mm512_add_epi32(still->lane, still->lane);
    still->odd = _mm512_add_epi32(still->even, _mm512_set1_epi32(1));
}

/* A worker's board, the rows that a step removes, and a record: all copies of the search share them,
   so that the stack holds them once. */
typedef struct combgpu__no3_work512 {
    combgpu__no3_board board;
    const uint32_t *gone[2 * COMBGPU__NO3_ORBITS + 3];
    uint32_t record[COMBGPU__NO3_RECORD_ROOM];
} combgpu__no3_work512;

/* As combgpu__no3_select_words. */
COMBGPU__INLINE COMBGPU__AVX512 uint32_t combgpu__no3_wide_select(const combgpu__no3_wide512 *still,
                                                                  const combgpu__no3_view *view,
                                                                  const combgpu__no3_level *now,
                                                                  int words, int wide)
{
    const __m512i none = _mm512_set1_epi32(0x7fff);
    __m512i there[COMBGPU__NO3_TABLED_WORDS / 16 + 1], best = none;
    int lines = words >> wide, i;
    uint32_t least, line;
    const uint32_t *open;
    there[words / 16] = _mm512_setzero_si512();
    for (i = 0; i < words; i += 16) {
        __m512i word = _mm512_loadu_si512(now->words + i);
        there[i / 16] = _mm512_popcnt_epi32(word);
        if (view->weighted)
            there[i / 16] = _mm512_add_epi32(
                there[i / 16],
                _mm512_popcnt_epi32(_mm512_and_si512(word, _mm512_loadu_si512(view->twice + i))));
    }
    for (i = 0; i < lines; i += 16) {
        __mmask16 used = (__mmask16)(lines - i < 16 ? (1 << (lines - i)) - 1 : 0xffff);
        __m512i need = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(used, now->need + i));
        __m512i k = there[i >> (4 - wide)], key;
        if (wide) {
            __m512i next = there[(i >> (4 - wide)) + 1];
            k = _mm512_add_epi32(_mm512_permutex2var_epi32(k, still->even, next),
                                 _mm512_permutex2var_epi32(k, still->odd, next));
        }
        k = _mm512_min_epi32(k, _mm512_set1_epi32(15));
        key = _mm512_permutexvar_epi32(k, still->two);
        key = _mm512_mask_permutexvar_epi32(
            key, _mm512_cmpeq_epi32_mask(need, _mm512_set1_epi32(1)), k, still->one);
        key = _mm512_or_si512(key, _mm512_add_epi32(still->lane, _mm512_set1_epi32(i)));
        best = _mm512_mask_min_epu32(best, _mm512_test_epi32_mask(need, need), best, key);
    }
    least = _mm512_reduce_min_epu32(best);
    if (least == 0x7fff) return COMBGPU__NO3_SOLVED;
    if (least < 0x100) return 0;
    line = least & 0xff;
    open = now->words + (line << wide);
    i = wide && !open[0];
    return least >> 8 << 28 | line << 8 | (uint32_t)(32 * i + combgpu__no3_leading(open[i]));
}

/* As combgpu__no3_place. */
COMBGPU__INLINE COMBGPU__AVX512 void combgpu__no3_wide_place(const combgpu__no3_view *view,
                                                             combgpu__no3_work512 *work,
                                                             uint32_t line, uint32_t place,
                                                             int words)
{
    combgpu__no3_board *board = &work->board;
    const uint32_t **gone = work->gone;
    uint32_t orbit = COMBGPU__NO3_PLACE_ORBIT(place), other = COMBGPU__NO3_PLACE_OTHER(place);
    uint32_t parts = words < 128 ? 1 : view->parts, part, need, count = 0, j;
    combgpu__no3_level *now = &board->now;
    int i;
    now->line = 0;
    need = (uint32_t)now->need[line] - COMBGPU__NO3_PLACE_WEIGHT(place);
    now->need[line] = (int16_t)need;
    gone[count++] = view->rows + (size_t)(view->line_rows + 3 * line + need) * (size_t)words;
    need = (uint32_t)now->need[other] - COMBGPU__NO3_PLACE_OTHER_WEIGHT(place);
    now->need[other] = (int16_t)need;
    gone[count++] = view->rows + (size_t)(view->line_rows + 3 * other + need) * (size_t)words;
    gone[count++] = view->rows + (size_t)(1 + orbit) * (size_t)words;
    board->placed[now->count++] = (uint16_t)orbit;
    for (j = 0; j < now->count; j++)
        for (part = 0; part < parts; part++)
            gone[count++] =
                view->rows + (size_t)combgpu__no3_pair(view, orbit, board->placed[j], part, words) *
                                 (size_t)words;
    for (i = 0; i < words; i += 16) {
        __m512i all = _mm512_loadu_si512(gone[0] + i);
        for (j = 1; j < count; j++)
            all = _mm512_or_si512(all, _mm512_loadu_si512(gone[j] + i));
        _mm512_storeu_si512(now->words + i,
                            _mm512_andnot_si512(all, _mm512_loadu_si512(now->words + i)));
    }
}

/* As combgpu__no3_search. */
COMBGPU__INLINE COMBGPU__AVX512 void combgpu__no3_wide_search(combgpu__worker *worker,
                                                              const combgpu__no3_view *view,
                                                              combgpu__no3_work512 *work,
                                                              void *stack, int words, int wide)
{
    combgpu__no3_wide512 still;
    combgpu__no3_board *board = &work->board;
    const uint32_t *task;
    int lines = words >> wide;
    combgpu__no3_wide_still(view, &still);
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, board, words, lines);
        for (;;) {
            combgpu__no3_level *without = combgpu__no3_level_at(stack, top, words);
            uint32_t key = 0, line, rank = 0, place;
            int ends = combgpu__spent(worker), is_new = !board->now.line;
            int32_t points;
            if (!ends && is_new)
                key = combgpu__no3_wide_select(&still, view, &board->now, words, wide);
            if (key == COMBGPU__NO3_SOLVED) {
                work->record[0] = board->now.count;
                combgpu__no3_put_placed(work->record + 1, board->placed, board->now.count, words);
                ends = !combgpu__emit(worker, work->record);
            }
            if (ends) {
                combgpu__no3_give(worker, stack, top, board, words, lines);
                return;
            }
            if (is_new) {
                worker->totals[0]++;
                board->now.line = 1 + (key >> 8 & 255);
                if (key == COMBGPU__NO3_SOLVED || !(key >> 28)) {
                    if (!top) break;
                    without = combgpu__no3_level_at(stack, --top, words);
                    combgpu__no3_copy(&board->now, without, words, lines);
                }
            }
            line = board->now.line - 1;
            points = combgpu__no3_on_line(view, &board->now, line, 0, wide, &rank);
            place = combgpu__no3_place_of(view, line << 8 | rank);
            if (points - (int32_t)COMBGPU__NO3_PLACE_WEIGHT(place) >= board->now.need[line]) {
                combgpu__no3_copy(without, &board->now, words, lines);
                combgpu__no3_remove(view, without, COMBGPU__NO3_PLACE_ORBIT(place), words);
                top++;
            }
            combgpu__no3_wide_place(view, work, line, place, words);
        }
    }
}

COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__no3_solve512_one(combgpu__worker *worker,
                                                                const combgpu__no3_view *view,
                                                                void *stack)
{
    combgpu__no3_work512 work;
    if (view->words == 32)
        combgpu__no3_wide_search(worker, view, &work, stack, 32, 0);
    else if (view->words == 48)
        combgpu__no3_wide_search(worker, view, &work, stack, 48, 0);
    else
        combgpu__no3_wide_search(worker, view, &work, stack, view->words, 0);
}

/* The same with two words a line. */
COMBGPU__PRIVATE COMBGPU__AVX512 void combgpu__no3_solve512_two(combgpu__worker *worker,
                                                                const combgpu__no3_view *view,
                                                                void *stack)
{
    combgpu__no3_work512 work;
    if (view->words == 48)
        combgpu__no3_wide_search(worker, view, &work, stack, 48, 1);
    else if (view->words == 64)
        combgpu__no3_wide_search(worker, view, &work, stack, 64, 1);
    else
        combgpu__no3_wide_search(worker, view, &work, stack, view->words, 1);
}
#endif
