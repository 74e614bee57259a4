/* No-three-in-line kernels, classes with any format of board.

   A board is shared by 4, 8 or 16 lanes. Each lane holds `share` words and so some of the lines,
   which have a word each, or two if `wide`. The lanes read a row that a step removes together, at
   once. */

/* In round k each lane takes one orbit of its list; the first of these is number
   COMBGPU__NO3_ROUND(k, lanes). */
#define COMBGPU__NO3_ROUND(k, lanes)                                                               \
    ((lanes) <= 8 ? (lanes) * (k) : (lanes)*2 * ((k) >> 1) + 8 * ((k)&1))

typedef struct combgpu_no3_orbit {
    combgpu_group_t group;
    uint32_t lane, lanes, share, wide;
    uint32_t lines, own;       /* lines in a lane; the first in this lane */
    uint32_t all, kept, parts; /* words of a board; list words in a lane; rows of a pair */
    uint32_t task_words, record_words, level_words, room;
    uint32_t weighted, stride, two, one, line_rows;
    COMBGPU__GLOBAL const uint32_t *places, *pairs, *rows, *twice_row;
} combgpu_no3_orbit;

typedef struct combgpu_no3_orbit_board {
    uint32_t *words, *twice, *list, *gone; /* in this lane; gone: what this step removes */
    uint32_t need;                         /* 2 bits for each line in this lane */
    uint32_t count;                        /* orbits placed */
} combgpu_no3_orbit_board;

typedef struct combgpu_no3_orbit_choice {
    uint32_t dead, solved, waits;
    uint32_t line, other, place, orbit;
} combgpu_no3_orbit_choice;

COMBGPU__DEVICE combgpu_no3_orbit combgpu_no3_orbit_begin(COMBGPU__GROUP_PARAMETER,
                                                          COMBGPU__GLOBAL const uint32_t *tables,
                                                          const uint32_t lanes,
                                                          const uint32_t share, const uint32_t wide)
{
    combgpu_no3_orbit form;
    form.group = group;
    form.lane = COMBGPU__GROUP_LANE;
    form.lanes = lanes;
    form.share = share;
    form.wide = wide;
    form.lines = share >> wide;
    form.own = form.lane * form.lines;
    form.all = lanes * share;
    form.kept = COMBGPU__NO3_LIST_WORDS(form.all) / lanes;
    form.task_words = COMBGPU__NO3_TASK_WORDS(form.all);
    form.record_words = COMBGPU__NO3_RECORD_WORDS(form.all);
    form.level_words = COMBGPU__NO3_LEVEL_WORDS(form.all);
    form.room = COMBGPU__NO3_ORBIT_LEVELS(form.all);
    form.parts = form.all < 128 ? 1 : tables[COMBGPU__NO3_AT_PARTS];
    form.weighted = tables[COMBGPU__NO3_AT_WEIGHTED];
    form.stride = tables[COMBGPU__NO3_AT_STRIDE];
    form.two = tables[COMBGPU__NO3_AT_TWO];
    form.one = tables[COMBGPU__NO3_AT_ONE];
    form.line_rows = tables[COMBGPU__NO3_AT_LINE_ROWS];
    form.places = tables + tables[COMBGPU__NO3_AT_PLACES];
    form.pairs = tables + tables[COMBGPU__NO3_AT_PAIRS];
    form.rows = tables + tables[COMBGPU__NO3_AT_ROWS] + form.lane * share;
    form.twice_row = tables + tables[COMBGPU__NO3_AT_TWICE] + form.lane * share;
    return form;
}

COMBGPU__DEVICE uint32_t combgpu_no3_orbit_load(const combgpu_no3_orbit *form,
                                                combgpu_no3_orbit_board *board,
                                                COMBGPU__GLOBAL const uint32_t *from)
{
    const uint32_t lane = form->lane, lanes = form->lanes, all = form->all;
    const uint32_t part = form->lines, bits = 2 * form->lines; /* of a word of needs, in a lane */
    uint32_t i;
    combgpu_no3_load(board->words, from + lane * form->share, form->share);
    /* a task has the needs in 8 words for any number of lanes */
    if (lanes == 4)
        board->need = (from[all + 2 * lane] & 0xffffff) | (from[all + 2 * lane + 1] & 0xffffff)
                                                              << part;
    else if (lanes == 8)
        board->need = from[all + lane] & 0xffffff;
    else
        board->need = from[all + lane / 2] >> bits * (lane & 1) & ((1u << bits) - 1);
    board->count = from[all] >> COMBGPU__NO3_COUNT_SHIFT;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        board->list[i] = from[all + COMBGPU__NO3_NEED_WORDS + lanes * i + lane];
    return combgpu_no3_task_line(from + all);
}

/* The line of a stack level: 16 lanes have few needs each, so that it fits beside them. */
COMBGPU__DEVICE uint32_t combgpu_no3_orbit_pop(const combgpu_no3_orbit *form,
                                               combgpu_no3_orbit_board *board,
                                               COMBGPU__GLOBAL const uint32_t *top)
{
    uint32_t need = top[form->all + form->lane];
    combgpu_no3_load(board->words, top + form->lane * form->share, form->share);
    board->need = need & (form->lanes == 16 ? 0xffff : 0xffffff);
    board->count = need >> COMBGPU__NO3_COUNT_SHIFT;
    return form->lanes == 16 ? need >> 16 & 255 : top[form->all + form->lanes + form->lane];
}

COMBGPU__DEVICE void combgpu_no3_orbit_push(const combgpu_no3_orbit *form,
                                            const combgpu_no3_orbit_board *board,
                                            COMBGPU__GLOBAL uint32_t *top, uint32_t line)
{
    combgpu_no3_store(top + form->lane * form->share, board->words, form->share);
    top[form->all + form->lane] = board->need | (form->lanes == 16 ? line << 16 : 0) |
                                  board->count << COMBGPU__NO3_COUNT_SHIFT;
    if (form->lanes < 16) top[form->all + form->lanes + form->lane] = line;
}

/* The classes of a line by its two bits of `need`; 15 if it needs nothing. */
COMBGPU__DEVICE uint32_t combgpu_no3_classes(uint32_t need, uint32_t at, uint32_t two, uint32_t one)
{
    return need >> at & 2 ? two : need >> at & 1 ? one : COMBGPU__NONE;
}

/* Finds the smallest key, class << 28 | line: 0 is dead; class 15 means that no line needs a
   point. */
COMBGPU__DEVICE void combgpu_no3_orbit_choose(const combgpu_no3_orbit *form,
                                              const combgpu_no3_orbit_board *board,
                                              combgpu_no3_orbit_choice *choice)
{
    const combgpu_group_t group = form->group;
    const uint32_t *words = board->words, *twice = board->twice;
    uint32_t best = COMBGPU__NONE, i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i += 1 + form->wide) {
        uint32_t there = COMBGPU__POPCOUNT(words[i]), n = i >> form->wide;
        if (form->weighted) there += COMBGPU__POPCOUNT(words[i] & twice[i]);
        if (form->wide) {
            there += COMBGPU__POPCOUNT(words[i + 1]);
            if (form->weighted) there += COMBGPU__POPCOUNT(words[i + 1] & twice[i + 1]);
        }
        best = min(best, (combgpu_no3_classes(board->need, 2 * n, form->two, form->one) >>
                          4 * min(there, 7u) << 28) +
                             form->own + n);
    }
    best = COMBGPU__GROUP_MIN(best);
    choice->line = best & 0xff;
    choice->solved = best >= 0xf0000000u;
    choice->dead = best < 0x10000000u;
}

COMBGPU__DEVICE void combgpu_no3_orbit_record(const combgpu_no3_orbit *form,
                                              const combgpu_no3_orbit_board *board,
                                              COMBGPU__GLOBAL uint32_t *to)
{
    uint32_t i;
    if (form->lane == 0) to[0] = board->count;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        to[1 + form->lanes * i + form->lane] =
            combgpu_no3_listed(board->list[i], form->lanes * i + form->lane, board->count);
}

/* The lane that has the line tells the others its first orbit, its points and its need. */
COMBGPU__DEVICE void combgpu_no3_orbit_cell(const combgpu_no3_orbit *form,
                                            const combgpu_no3_orbit_board *board,
                                            combgpu_no3_orbit_choice *choice, uint32_t line,
                                            uint32_t go)
{
    const combgpu_group_t group = form->group;
    uint32_t open = 0, open2 = 0, twice = 0, twice2 = 0, first, points, of, i;
    choice->line = line;
    of = line % form->lines;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i += 1 + form->wide) {
        const uint32_t is = i >> form->wide == of;
        open = is ? board->words[i] : open;
        twice = is ? board->twice[i] : twice;
        if (form->wide) {
            open2 = is ? board->words[i + 1] : open2;
            twice2 = is ? board->twice[i + 1] : twice2;
        }
    }
    first = open ? COMBGPU__CLZ(open) : 32 + COMBGPU__CLZ(open2);
    points = COMBGPU__POPCOUNT(open) + COMBGPU__POPCOUNT(open & twice) + COMBGPU__POPCOUNT(open2) +
             COMBGPU__POPCOUNT(open2 & twice2);
    of = COMBGPU__GROUP_FROM((first & 63) | points << 8 | (board->need >> 2 * of & 3) << 16,
                             line / form->lines);
    choice->place = form->places[line << 6 | (go ? of & 63 : 0)];
    choice->waits = (of >> 8 & 255) >= (of >> 16) + COMBGPU__NO3_PLACE_WEIGHT(choice->place);
    choice->orbit = COMBGPU__NO3_PLACE_ORBIT(choice->place);
    choice->other = COMBGPU__NO3_PLACE_OTHER(choice->place);
    combgpu_no3_clear(board->gone, form->share);
    combgpu_no3_gone(board->gone, form->rows + (1 + choice->orbit) * form->all, form->share);
}

COMBGPU__DEVICE void combgpu_no3_orbit_remove(const combgpu_no3_orbit *form,
                                              combgpu_no3_orbit_board *board,
                                              const combgpu_no3_orbit_choice *choice)
{
    (void)choice;
    combgpu_no3_without(board->words, board->gone, form->share);
}

COMBGPU__DEVICE void combgpu_no3_orbit_place(const combgpu_no3_orbit *form,
                                             combgpu_no3_orbit_board *board,
                                             const combgpu_no3_orbit_choice *choice)
{
    const uint32_t first = choice->line - form->own, second = choice->other - form->own;
    if (first < form->lines) board->need -= COMBGPU__NO3_PLACE_WEIGHT(choice->place) << 2 * first;
    if (second < form->lines)
        board->need -= COMBGPU__NO3_PLACE_OTHER_WEIGHT(choice->place) << 2 * second;
    combgpu_no3_list_put(board->list, form->kept, form->lanes, form->lane, board->count,
                         choice->orbit);
    board->count++;
}

/* Also removes orbits that the orbit's lines no longer take. The list ends with the orbit itself,
   whose row has what it excludes alone. In a round each lane finds the number of one row; then all
   lanes read all these rows. */
COMBGPU__DEVICE void combgpu_no3_orbit_propagate(const combgpu_no3_orbit *form,
                                                 combgpu_no3_orbit_board *board,
                                                 combgpu_no3_orbit_choice *choice, uint32_t go)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, lanes = form->lanes, share = form->share, all = form->all;
    const uint32_t line = choice->line, other = choice->other, limit = go ? board->count : 0;
    uint32_t need_line, need_other, i, k, at;
    need_line =
        COMBGPU__GROUP_FROM(board->need >> 2 * (line % form->lines), line / form->lines) & 3;
    need_other =
        COMBGPU__GROUP_FROM(board->need >> 2 * (other % form->lines), other / form->lines) & 3;
    combgpu_no3_gone(board->gone, form->rows + (form->line_rows + 3 * line + need_line) * all,
                     share);
    combgpu_no3_gone(board->gone, form->rows + (form->line_rows + 3 * other + need_other) * all,
                     share);
    COMBGPU__NO3_UNROLL
    COMBGPU__NO3_EACH_ROUND(k, COMBGPU__NO3_ROUND(k, lanes) < limit, 2 * form->kept)
    {
        uint32_t row = 0, part, high = lanes <= 8 ? lanes * k & 8 : k & 1;
        uint32_t slot = lanes <= 8 ? COMBGPU__NO3_SLOT(lanes * k) / lanes : k >> 1;
        uint32_t number = lanes <= 8 ? lanes * k + lane
                                     : 32 * slot + 16 * (lane >> 3) + (lane & 7) + (high ? 8 : 0);
        for (part = 0; part < form->parts; part++) {
            if (number < limit) {
                at = (choice->orbit * form->stride +
                      (high ? board->list[slot] >> 16 : board->list[slot] & 0xffff)) *
                         form->parts +
                     part;
                row = all == 16 ? ((COMBGPU__GLOBAL const uint16_t *)form->pairs)[at]
                                : form->pairs[at];
            }
            COMBGPU__NO3_UNROLL
            for (i = 0; i < lanes; i++)
                combgpu_no3_gone(board->gone, form->rows + COMBGPU__GROUP_FROM(row, i) * all,
                                 share);
        }
    }
    if (go) combgpu_no3_without(board->words, board->gone, share);
}

COMBGPU__DEVICE void combgpu_no3_orbit_give(const combgpu_no3_orbit *form,
                                            const combgpu_no3_orbit_board *board,
                                            COMBGPU__GLOBAL uint32_t *to, uint32_t line,
                                            uint32_t gives)
{
    const combgpu_group_t group = form->group;
    const uint32_t lane = form->lane, lanes = form->lanes, all = form->all;
    const uint32_t part = form->lines, bits = 2 * form->lines;
    const uint32_t need = board->need, count = board->count;
    uint32_t pair = lanes == 16 ? COMBGPU__GROUP_FROM(need, lane ^ 1) : 0, i;
    if (!gives) return;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->share; i++)
        to[lane * form->share + i] = board->words[i];
    COMBGPU__NO3_UNROLL
    for (i = 0; i < form->kept; i++)
        to[all + COMBGPU__NO3_NEED_WORDS + lanes * i + lane] = board->list[i];
    if (lanes == 4) {
        to[all + 2 * lane] =
            (need & ((1u << part) - 1)) | combgpu_no3_task_top(2 * lane, count, line);
        to[all + 2 * lane + 1] = need >> part | combgpu_no3_task_top(2 * lane + 1, count, line);
    } else if (lanes == 8)
        to[all + lane] = need | combgpu_no3_task_top(lane, count, line);
    else if (!(lane & 1))
        to[all + lane / 2] = need | pair << bits | combgpu_no3_task_top(lane / 2, count, line);
}

COMBGPU__DEVICE void combgpu_no3_orbit_search(COMBGPU__GROUP_PARAMETER, COMBGPU__SLICE_ARGUMENTS,
                                              const uint32_t lanes, const uint32_t share,
                                              const uint32_t wide)
{
    combgpu_no3_orbit form = combgpu_no3_orbit_begin(COMBGPU__GROUP, tables, lanes, share, wide);
    combgpu_no3_worker worker = combgpu_no3_worker_begin(
        slice, work + COMBGPU__GROUP_INDEX * form.room * form.level_words, COMBGPU__GROUP_INDEX);
    uint32_t words[COMBGPU__NO3_MOST], twice[COMBGPU__NO3_MOST], list[COMBGPU__NO3_MOST],
        gone[COMBGPU__NO3_MOST];
    combgpu_no3_orbit_board board;
    board.words = words;
    board.twice = twice;
    board.list = list;
    board.gone = gone;
    /* Never true, but it hides from the compiler how these addresses are formed; else it recomputes
       them for each row (a third of all instructions). */
    if (slice->workers == 0) form.places = form.pairs = form.rows = work;
    combgpu_no3_load(board.twice, form.twice_row, share);
    combgpu_no3_clear(board.words, share);
    combgpu_no3_clear(board.list, share);
    board.need = board.count = 0;
    COMBGPU__NO3_SEARCH(orbit, GROUP);
}

/* The name has the words of a board, and w if a line has two. */
#define COMBGPU__NO3_KERNEL(name, lanes, share, wide)                                              \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        COMBGPU__GROUP_BEGIN(lanes);                                                               \
        combgpu_no3_orbit_search(COMBGPU__GROUP, slice, tables, tasks, left, records, work, lanes, \
                                 share, wide);                                                     \
    }
COMBGPU__NO3_KERNEL(combgpu_no3_search_16, 4, 4, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_32, 4, 8, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_48, 4, 12, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_48w, 4, 12, 1)
COMBGPU__NO3_KERNEL(combgpu_no3_search_64, 8, 8, 0)
COMBGPU__NO3_KERNEL(combgpu_no3_search_64w, 8, 8, 1)
COMBGPU__NO3_KERNEL(combgpu_no3_search_128w, 16, 8, 1)
COMBGPU__NO3_KERNEL(combgpu_no3_search_192w, 16, 12, 1)
