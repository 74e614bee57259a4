/* Checks records and tasks of no-three-in-line, and counts and delivers solutions. */

/* Reports a board that does not solve the problem. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_wrong(const combgpu_job *job)
{
    const char *kernel = combgpu__desc(job)->kernel.name;
    return combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                         "%s%s reported a board that is not a solution",
                         kernel ? "kernel " : "the CPU", kernel ? kernel : "");
}

/* Makes the board with these orbits. Returns 0 if an orbit is unknown, or not open when placed. */
COMBGPU__PRIVATE int combgpu__no3_rebuild(const combgpu_job *job, uint32_t count,
                                          const uint32_t *list, combgpu__no3_board *board)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint32_t j;
    if (count > model->most) return 0;
    combgpu__no3_get_placed(list, placed, count);
    combgpu__no3_empty(model, board);
    for (j = 0; j < count; j++) {
        uint32_t orbit = placed[j];
        if (orbit >= model->orbits || !combgpu__no3_is_open(model, &board->now, orbit)) return 0;
        combgpu__no3_place_orbit(model, board, orbit);
    }
    return 1;
}

/* The frame of a board with these orbits. */
COMBGPU__PRIVATE int combgpu__no3_frame(const combgpu__no3 *model, const uint16_t *placed)
{
    return model->given.frames == 2 && placed[0] > placed[1];
}

/* Nonzero if a board can still satisfy the fixed cells. */
COMBGPU__PRIVATE int combgpu__no3_respects(const combgpu__no3 *model,
                                           const combgpu__no3_board *board)
{
    int frame = combgpu__no3_frame(model, board->placed), y;
    uint64_t placed[COMBGPU__NO3_BOARD], open[COMBGPU__NO3_BOARD];
    uint32_t i;
    memset(placed, 0, sizeof placed);
    memset(open, 0, sizeof open);
    for (i = 0; i < board->now.count; i++)
        combgpu__no3_add_orbit(model, board->placed[i], placed);
    for (i = 0; model->given.any && i < model->orbits; i++)
        if (combgpu__no3_is_open(model, &board->now, i)) combgpu__no3_add_orbit(model, i, open);
    for (y = 0; y < combgpu__no3_board_words(model->n); y++)
        if (model->given.on[frame][y] & ~placed[y] ||
            model->given.off[frame][y] & (placed[y] | open[y]))
            return 0;
    return 1;
}

COMBGPU__PRIVATE int combgpu__no3_validate_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    combgpu__no3_board board;
    int i;
    if (!combgpu__no3_rebuild(job, record[0], record + 1, &board)) return 0;
    for (i = 0; i < model->lines; i++)
        if (board.now.need[i]) return 0;
    return combgpu__no3_respects(model, &board);
}

COMBGPU__COLD_BEGIN
/* Nonzero if the line of a board that waits, if it has one, can get the points that it needs. */
COMBGPU__PRIVATE int combgpu__no3_validate_line(const combgpu__no3 *model,
                                                const combgpu__no3_level *now)
{
    uint32_t line = now->line - 1, rank = 0;
    if (!now->line) return 1;
    return line < (uint32_t)model->lines && now->need[line] &&
           combgpu__no3_on_line(&model->view, now, line, model->split, model->wide, &rank) >=
               now->need[line];
}

COMBGPU__PRIVATE int combgpu__no3_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    combgpu__no3_board board;
    uint32_t rebuilt[COMBGPU__NO3_TASK_ROOM], orbit, words = (uint32_t)model->words, i;
    if (!combgpu__no3_rebuild(job, task[words] >> COMBGPU__NO3_COUNT_SHIFT,
                              task + words + COMBGPU__NO3_NEEDS(words), &board))
        return 0;
    board.now.line = task[words + 1] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu__no3_put_task(rebuilt, &board.now, board.placed, model->words, model->lines);
    for (i = 0; i < words; i++)
        if (task[i] & ~rebuilt[i]) return 0;
    for (i = words; i < words + COMBGPU__NO3_NEEDS(words); i++)
        if (task[i] != rebuilt[i]) return 0;
    /* an orbit is open on both of its lines or on none */
    for (orbit = 0; orbit < model->orbits; orbit++) {
        int first, second;
        uint32_t one = combgpu__no3_bit(model, orbit, 0, &first);
        uint32_t other = combgpu__no3_bit(model, orbit, 1, &second);
        if (!(task[first] & one) != !(task[second] & other)) return 0;
    }
    memcpy(board.now.words, task, words * sizeof *task);
    return combgpu__no3_validate_line(model, &board.now) && combgpu__no3_respects(model, &board);
}
COMBGPU__COLD_END

/* The rows of a record's board, in coordinates. */
COMBGPU__PRIVATE void combgpu__no3_rows_of(const combgpu__no3 *model, const uint32_t *record,
                                           uint64_t *rows)
{
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint32_t j;
    memset(rows, 0, COMBGPU__NO3_BOARD * sizeof *rows);
    combgpu__no3_get_placed(record + 1, placed, record[0]);
    for (j = 0; j < record[0]; j++)
        combgpu__no3_add_orbit(model, placed[j], rows);
}

/* Nonzero if a board consists of whole orbits. */
COMBGPU__PRIVATE int combgpu__no3_admissible(const combgpu__no3 *model, const uint64_t *rows)
{
    uint64_t whole[COMBGPU__NO3_BOARD];
    int n = model->n, x, y;
    memset(whole, 0, sizeof whole);
    for (y = 0; y < n; y++)
        for (x = combgpu__no3_next(n, rows, 0, y); x < n;
             x = combgpu__no3_next(n, rows, x + 1, y)) {
            uint32_t orbit = combgpu__no3_orbit_at(model, x, y);
            if (orbit == COMBGPU__NO3_NO_ORBIT) return 0;
            combgpu__no3_add_orbit(model, orbit, whole);
        }
    return !combgpu__no3_compare(model->n, whole, rows);
}

/* The key of combgpu__no3_break, then the rows, which make it unique. For n up to TABLED. */
COMBGPU__PRIVATE void combgpu__no3_key(const combgpu__no3 *model, const uint64_t *rows,
                                       uint64_t *key)
{
    uint64_t lines[2 * COMBGPU__NO3_TABLED];
    int n = model->n, x, y, k;
    memset(lines, 0, sizeof lines);
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            if (rows[y] >> x & 1) {
                lines[2 * model->index[y]] |= UINT64_C(1) << model->index[x];
                lines[2 * model->index[x] + 1] |= UINT64_C(1) << model->index[y];
            }
    for (k = 0; k < 2 * (n / 2); k++)
        *key++ = (uint64_t)combgpu__lowest_bit64(
            lines[2 * combgpu__no3_key_line(model, k / 2) + (k & 1)]);
    for (k = 0; k < n; k++)
        *key++ = lines[2 * k];
}

/* Nonzero if a board has the smallest key among those of its images that this search finds too.
   `keep` is the set of maps that keep the fixed cells. */
COMBGPU__PRIVATE int combgpu__no3_is_first(const combgpu__no3 *model, const uint64_t *rows,
                                           unsigned keep)
{
    uint64_t const(*images)[COMBGPU__NO3_BOARD] = model->image;
    uint64_t own[2 * COMBGPU__NO3_TABLED], key[2 * COMBGPU__NO3_TABLED];
    int map, i, length = 2 * (model->n / 2) + model->n;
    int large = model->n > COMBGPU__NO3_TABLED;
    if (!large) combgpu__no3_key(model, rows, own);
    for (map = 1; map < 8; map++) {
        if (!(keep >> map & 1) || !combgpu__no3_admissible(model, images[map])) continue;
        if (large && combgpu__no3_compare(model->n, images[map], rows) < 0) return 0;
        if (large) continue;
        combgpu__no3_key(model, images[map], key);
        for (i = 0; i < length - 1 && key[i] == own[i];)
            i++;
        if (key[i] < own[i]) return 0;
    }
    return 1;
}

/* Counts a solution, up to symmetry. */
COMBGPU__PRIVATE void combgpu__no3_count(combgpu_job *job, const uint64_t *canonical,
                                         combgpu_no3_class symmetry)
{
    int n = ((const combgpu__no3 *)combgpu__state(job))->n, y;
    uint64_t hash = (uint64_t)n;
    for (y = 0; y < combgpu__no3_board_words(n); y++)
        hash = combgpu__mix(hash ^ canonical[y]);
    combgpu__accumulators(job)[COMBGPU__NO3_CHECKSUM] += hash;
    combgpu__accumulators(job)[COMBGPU__NO3_CLASSES + (int)symmetry]++;
    if (symmetry == COMBGPU_NO3_NEAR_ROT4)
        combgpu__accumulators(job)[COMBGPU__NO3_CLASSES + COMBGPU_NO3_ROT2]++;
}

/* Calls desc.solution, if set, and counts. Returns CONTINUE, ENOUGH or STOP. */
COMBGPU__PRIVATE combgpu__result combgpu__no3_show(combgpu_job *job, const uint64_t *rows,
                                                   combgpu_no3_class symmetry)
{
    const combgpu_no3_desc *desc = &((const combgpu__no3 *)combgpu__state(job))->desc;
    uint64_t calls = ++combgpu__accumulators(job)[COMBGPU__NO3_CALLS];
    int stop = desc->solution && desc->solution(rows, desc->n, symmetry, desc->solution_user);
    if (stop) return COMBGPU__STOP;
    return desc->limit && calls % desc->limit == 0 ? COMBGPU__ENOUGH : COMBGPU__CONTINUE;
}

/* Nonzero if a board satisfies the fixed cells. */
COMBGPU__PRIVATE int combgpu__no3_fits(const combgpu__no3 *model, const uint64_t *rows)
{
    const combgpu__no3_given *given = &model->given;
    int y;
    for (y = 0; y < combgpu__no3_board_words(model->n); y++)
        if (given->on[0][y] & ~rows[y] || given->off[0][y] & rows[y]) return 0;
    return 1;
}

/* Nonzero if a board is a solution. Reads only the board, not the search's tables. */
COMBGPU__PRIVATE int combgpu__no3_is_solution(int n, const uint64_t *rows)
{
    int words = COMBGPU_NO3_ROW_WORDS(n), x[3], y[3], i, k;
    uint64_t once[2] = {0, 0}, twice[2] = {0, 0};
    for (i = 0; i < n; i++) {
        if (combgpu__no3_row_points(n, rows, i) != 2) return 0;
        for (k = 0; k < words; k++) {
            uint64_t row = rows[i * words + k];
            if (twice[k] & row) return 0;
            twice[k] |= once[k] & row;
            once[k] |= row;
        }
    }
    return !combgpu__no3_find_line(n, rows, x, y);
}

/* Makes all images of a board in model->image. Returns the maps whose image is the board itself. */
COMBGPU__PRIVATE unsigned combgpu__no3_make_images(combgpu__no3 *model, const uint64_t *rows)
{
    unsigned same = 0;
    int map;
    for (map = 0; map < 8; map++) {
        combgpu__no3_image(model->n, map, rows, model->image[map]);
        if (!combgpu__no3_compare(model->n, rows, model->image[map])) same |= 1u << map;
    }
    return same;
}

/* Makes the images of a record's board; *same is the set of maps whose image is the board itself.
   Returns 0 if the board is a copy of another (then *copy is set) or not a solution. */
COMBGPU__PRIVATE int combgpu__no3_board_of(combgpu__no3 *model, const uint32_t *record,
                                           unsigned *same, int *copy)
{
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint64_t rows[COMBGPU__NO3_BOARD];
    int frame;
    placed[0] = placed[1] = 0;
    combgpu__no3_get_placed(record + 1, placed, record[0]);
    frame = combgpu__no3_frame(model, placed);
    combgpu__no3_rows_of(model, record, rows);
    *same = combgpu__no3_make_images(model, rows);
    *copy = !combgpu__no3_is_first(model, rows, model->given.keep[frame]);
    if (*copy) return 0;
    if (frame) {
        memcpy(rows, model->image[model->given.turn], sizeof rows);
        *copy = combgpu__no3_admissible(model, rows); /* frame 0 finds it too */
        *same = combgpu__no3_make_images(model, rows);
    }
    return !*copy && combgpu__no3_fits(model, rows) && combgpu__no3_is_solution(model->n, rows);
}

/* Takes a complete board. The board represents its images under the maps that keep the fixed cells;
   the smallest of its images that satisfy them represents the class. Images shown before a stop are
   skipped. */
COMBGPU__PRIVATE combgpu__result combgpu__no3_record(combgpu_job *job, const uint32_t *record)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    uint64_t(*images)[COMBGPU__NO3_BOARD] = model->image;
    uint64_t *shown = &combgpu__accumulators(job)[COMBGPU__NO3_IMAGE];
    const uint64_t *canonical;
    combgpu_no3_class symmetry;
    combgpu__result result = COMBGPU__CONTINUE;
    unsigned same, keep = model->given.keep[0], allowed = 0;
    int map, other, first = 0, copy = 0,
                    every = model->desc.solution && model->desc.every_orientation;
    if (!combgpu__no3_validate_record(job, record) ||
        !combgpu__no3_board_of(model, record, &same, &copy)) {
        if (copy) return COMBGPU__CONTINUE;
        return combgpu__as_result(combgpu__no3_wrong(job));
    }
    for (map = 0; map < 8; map++)
        if (combgpu__no3_fits(model, images[map])) allowed |= 1u << map;
    for (canonical = images[0], map = 1; map < 8; map++)
        if (allowed >> map & 1 && combgpu__no3_compare(model->n, images[map], canonical) < 0)
            canonical = images[map];
    for (map = 0; map < 8; map++)
        first |= keep >> map & 1 && !combgpu__no3_compare(model->n, images[map], canonical);
    symmetry = combgpu__no3_class(model->n, images[0], same);
    if (!*shown) {
        combgpu__accumulators(job)[COMBGPU__NO3_ALL_SUM] +=
            (uint64_t)(combgpu__popcount64(keep) / combgpu__popcount64(keep & same));
        if (first) combgpu__no3_count(job, canonical, symmetry);
    }
    for (map = *shown < 8 ? (int)*shown : 8; map < 8 && result == COMBGPU__CONTINUE; map++) {
        for (other = 0; other < map; other++)
            if (keep >> other & 1 && !combgpu__no3_compare(model->n, images[map], images[other]))
                break;
        *shown = (uint64_t)map + 1;
        if (every ? keep >> map & 1 && other == map : map == 0 && first)
            result = combgpu__no3_show(job, every ? images[map] : canonical, symmetry);
    }
    if (result != COMBGPU__CONTINUE && every && map < 8)
        combgpu__deliver_again(job); /* with the rest of its images */
    else
        *shown = 0;
    return result;
}
