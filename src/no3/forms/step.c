/* A step of the C solver for no-three-in-line. */

/* A level of a search stack: a board without the list of placed orbits. */
typedef struct combgpu__no3_level {
    int16_t need[COMBGPU__NO3_LINES]; /* points needed, by line; 0 also if unused */
    uint32_t count;                   /* orbits placed */
    uint32_t line;                    /* 1 + the line that its next orbit is on; 0: any */
    uint32_t unused[14];
    uint32_t words[COMBGPU__NO3_WORDS]; /* last: a stack has levels of just the words in use */
} combgpu__no3_level;

typedef struct combgpu__no3_board {
    combgpu__no3_level now;
    uint16_t placed[COMBGPU__NO3_ORBITS];
} combgpu__no3_board;

COMBGPU__INLINE void combgpu__no3_copy(combgpu__no3_level *to, const combgpu__no3_level *from,
                                       int words, int lines)
{
    memcpy(to->words, from->words, (size_t)words * sizeof to->words[0]);
    memcpy(to->need, from->need, (size_t)lines * sizeof to->need[0]);
    to->count = from->count;
    to->line = from->line;
}

/* The number of leading zeros; x is not 0. */
COMBGPU__INLINE int combgpu__no3_leading(uint32_t x)
{
#ifdef __GNUC__
    return __builtin_clz(x);
#else
    int n = 0;
    for (; !(x >> 31); x <<= 1)
        n++;
    return n;
#endif
}

/* combgpu__no3_select returns class << 28 | line << 8 | rank of its first orbit, or SOLVED. In its
   two forms loops run over all lines without branches, so compilers vectorise them; arithmetic
   replaces the tables' classes (FLAT, STEEP). */

/* The array index of line i among the 16-bit halves of words in memory. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define COMBGPU__NO3_HALF(i) ((i) ^ 1)
#else
#define COMBGPU__NO3_HALF(i) (i)
#endif

COMBGPU__INLINE uint16_t combgpu__no3_count16(uint16_t v)
{
    v = (uint16_t)(v - (v >> 1 & 0x5555));
    v = (uint16_t)((v & 0x3333) + (v >> 2 & 0x3333));
    v = (uint16_t)((v + (v >> 4)) & 0x0f0f);
    return (uint16_t)((v + (v >> 8)) & 0x1f);
}

/* Boards of 16 words with two lines each, weights 1, flat classes: the full search up to n = 16. */
COMBGPU__INLINE uint32_t combgpu__no3_select_halves(const combgpu__no3_level *now)
{
    uint16_t half[32];
    int16_t key[32], best = 0x7fff;
    int i, at;
    memcpy(half, now->words, sizeof half);
    for (i = 0; i < 32; i++) {
        int16_t k = (int16_t)combgpu__no3_count16(half[i]);
        int16_t need = now->need[COMBGPU__NO3_HALF(i)];
        int16_t two = (int16_t)(k < 1 ? 0 : k > 6 ? 5 : k - 1);
        int16_t one = (int16_t)(k > 2 ? 7 : k);
        int16_t kind = (int16_t)(need == 2 ? two : one);
        key[i] = (int16_t)(need == 0 ? 0x7fff : kind << 8 | COMBGPU__NO3_HALF(i));
    }
    for (i = 0; i < 32; i++)
        best = key[i] < best ? key[i] : best;
    if (best == 0x7fff) return COMBGPU__NO3_SOLVED;
    if (best < 0x100) return 0;
    at = COMBGPU__NO3_HALF(best & 0xff);
    return (uint32_t)(best >> 8) << 28 | (uint32_t)(best & 0xff) << 8 |
           (uint32_t)(combgpu__no3_leading(half[at]) - 16);
}

COMBGPU__INLINE int32_t combgpu__no3_count32(uint32_t v)
{
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    v += v >> 8;
    return (int32_t)((v + (v >> 16)) & 0x3f);
}

/* Boards with lines of 1, 2 or 4 words: 1 << wide. */
COMBGPU__INLINE uint32_t combgpu__no3_select_words(const combgpu__no3_view *view,
                                                   const combgpu__no3_level *now, int words,
                                                   int wide)
{
    int32_t key[COMBGPU__NO3_WORDS], best = 0x7fff, top = view->steep ? 6 : 5;
    const uint32_t *open;
    int i, j, lines = words >> wide;
    for (i = 0; i < words; i++)
        key[i] = combgpu__no3_count32(now->words[i]);
    if (view->weighted)
        for (i = 0; i < words; i++)
            key[i] += combgpu__no3_count32(now->words[i] & view->twice[i]);
    for (i = 0; wide > 1 && i < words / 2; i++)
        key[i] = key[2 * i] + key[2 * i + 1];
    for (i = 0; i < lines; i++) {
        int32_t k = wide ? key[2 * i] + key[2 * i + 1] : key[i], need = now->need[i];
        int32_t two = k < 1 ? 0 : k - 1 > top ? top : k - 1;
        int32_t many = view->steep ? (k < 4 ? k : k < 6 ? k + 1 : 9) : 7;
        int32_t one = k > 2 ? many : k;
        key[i] = need == 0 ? 0x7fff : (need == 2 ? two : one) << 8 | i;
    }
    for (i = 0; i < lines; i++)
        best = key[i] < best ? key[i] : best;
    if (best == 0x7fff) return COMBGPU__NO3_SOLVED;
    if (best < 0x100) return 0;
    i = best & 0xff;
    open = now->words + (i << wide);
    for (j = 0; j < (1 << wide) - 1 && !open[j];)
        j++;
    return (uint32_t)(best >> 8) << 28 | (uint32_t)i << 8 |
           (uint32_t)(32 * j + combgpu__no3_leading(open[j]));
}

COMBGPU__INLINE uint32_t combgpu__no3_select(const combgpu__no3_view *view,
                                             const combgpu__no3_level *now, int words, int split,
                                             int wide)
{
    return split ? combgpu__no3_select_halves(now)
                 : combgpu__no3_select_words(view, now, words, wide);
}

/* Returns the points available from a line's open orbits, at least one. *rank: its first
   orbit's. */
COMBGPU__INLINE int32_t combgpu__no3_on_line(const combgpu__no3_view *view,
                                             const combgpu__no3_level *now, uint32_t line,
                                             int split, int wide, uint32_t *rank)
{
    const uint32_t *open = now->words + (split ? line >> 1 : line << wide);
    const uint32_t *twice = view->twice + (line << wide);
    uint32_t half = line & 1 ? *open & 0xffff0000u : *open << 16;
    int32_t points = 0;
    int j;
    if (split) {
        *rank = (uint32_t)combgpu__no3_leading(half);
        return combgpu__no3_count32(half);
    }
    for (j = (1 << wide) - 1; j >= 0; j--) {
        if (open[j]) *rank = (uint32_t)(32 * j + combgpu__no3_leading(open[j]));
        points += combgpu__no3_count32(open[j]);
        if (view->weighted) points += combgpu__no3_count32(open[j] & twice[j]);
    }
    return points;
}

/* The orbit to place on the line that select found. */
COMBGPU__INLINE uint32_t combgpu__no3_place_of(const combgpu__no3_view *view, uint32_t key)
{
    return view->places[(key >> 8 & 255) * view->ranks + (key & 255)];
}

/* Returns the number of the row that a pair of placed orbits removes. */
COMBGPU__INLINE uint32_t combgpu__no3_pair(const combgpu__no3_view *view, uint32_t p, uint32_t q,
                                           uint32_t part, int words)
{
    size_t at = ((size_t)p * view->stride + q) * view->parts + part;
    uint16_t row;
    if (words != 16) return view->pairs[at];
    memcpy(&row, (const char *)view->pairs + 2 * at, sizeof row);
    return row;
}

/* Removes an orbit. */
COMBGPU__INLINE void combgpu__no3_remove(const combgpu__no3_view *view, combgpu__no3_level *now,
                                         uint32_t orbit, int words)
{
    const uint32_t *row = view->rows + (size_t)(1 + orbit) * (size_t)words;
    int i;
    if (words > COMBGPU__NO3_TABLED_WORDS) {
        combgpu__no3_large_mark(view->large, orbit, now->words, 0);
        return;
    }
    for (i = 0; i < words; i++)
        now->words[i] &= ~row[i];
}

/* to |= row, of 16, 32 ... words. Explicit vectors: whether GCC vectorises by itself depends on the
   code around, and makes a quarter of the speed. */
#if defined(__GNUC__) && !defined(__CUDACC__)
typedef uint32_t combgpu__no3_four __attribute__((vector_size(16)));
#define COMBGPU__NO3_ALIGNED __attribute__((aligned(16)))
COMBGPU__INLINE void combgpu__no3_or(uint32_t *to, const uint32_t *row, int words)
{
    combgpu__no3_four a, b;
    int i;
    for (i = 0; i < words; i += 4) {
        memcpy(&a, to + i, sizeof a);
        memcpy(&b, row + i, sizeof b);
        a |= b;
        memcpy(to + i, &a, sizeof a);
    }
}
#else
#define COMBGPU__NO3_ALIGNED
COMBGPU__INLINE void combgpu__no3_or(uint32_t *to, const uint32_t *row, int words)
{
    int i;
    for (i = 0; i < words; i++)
        to[i] |= row[i];
}
#endif

/* Places the orbit of `place`, a word of the places table for this line. */
COMBGPU__INLINE void combgpu__no3_place(const combgpu__no3_view *view, combgpu__no3_board *board,
                                        uint32_t line, uint32_t place, int words)
{
    uint32_t orbit = COMBGPU__NO3_PLACE_ORBIT(place), other = COMBGPU__NO3_PLACE_OTHER(place);
    uint32_t j, need, need_other, part;
    COMBGPU__NO3_ALIGNED uint32_t gone[COMBGPU__NO3_TABLED_WORDS];
    const uint32_t *row, *row2;
    combgpu__no3_level *now = &board->now;
    int i;
    now->line = 0;
    need = (uint32_t)now->need[line] - COMBGPU__NO3_PLACE_WEIGHT(place);
    now->need[line] = (int16_t)need;
    need_other = (uint32_t)now->need[other] - COMBGPU__NO3_PLACE_OTHER_WEIGHT(place);
    now->need[other] = (int16_t)need_other;
    board->placed[now->count++] = (uint16_t)orbit;
    row = view->rows + (size_t)(view->line_rows + 3 * line + need) * (size_t)words;
    row2 = view->rows + (size_t)(view->line_rows + 3 * other + need_other) * (size_t)words;
    if (words > COMBGPU__NO3_TABLED_WORDS) {
        for (i = 0; i < words; i++)
            now->words[i] &= ~(row[i] | row2[i]);
        combgpu__no3_large_exclude(view->tables, view->large, orbit, board->placed, now->count - 1,
                                   now->words, words);
        return;
    }
    memcpy(gone, row, (size_t)words * sizeof gone[0]);
    combgpu__no3_or(gone, row2, words);
    combgpu__no3_or(gone, view->rows + (size_t)(1 + orbit) * (size_t)words, words);
    for (j = 0; j < now->count; j++)
        for (part = 0; part < (words < 128 ? 1 : view->parts); part++) {
            row =
                view->rows + (size_t)combgpu__no3_pair(view, orbit, board->placed[j], part, words) *
                                 (size_t)words;
            combgpu__no3_or(gone, row, words);
        }
    for (i = 0; i < words; i++)
        now->words[i] &= ~gone[i];
}
