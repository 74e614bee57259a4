/* ---- record */

/* Is every orbit of these known to the model, were they all open when placed? Then the board they
   make goes to `board`. */
COMBGPU__PRIVATE int combgpu__no3_rebuild(const combgpu_job *job, uint32_t count,
                                          const uint32_t *list, combgpu__no3_board *board)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
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

/* Can a board still have the fixed cells? */
COMBGPU__PRIVATE int combgpu__no3_respects(const combgpu__no3 *model,
                                           const combgpu__no3_board *board)
{
    int frame = combgpu__no3_frame(model, board->placed), y;
    uint64_t placed[64], open[64];
    uint32_t i;
    memset(placed, 0, sizeof placed);
    memset(open, 0, sizeof open);
    for (i = 0; i < board->now.count; i++)
        combgpu__no3_add_orbit(model, board->placed[i], placed);
    for (i = 0; model->given.any && i < model->orbits; i++)
        if (combgpu__no3_is_open(model, &board->now, i)) combgpu__no3_add_orbit(model, i, open);
    for (y = 0; y < model->n; y++)
        if (model->given.on[frame][y] & ~placed[y] ||
            model->given.off[frame][y] & (placed[y] | open[y]))
            return 0;
    return 1;
}

COMBGPU__PRIVATE int combgpu__no3_adopt_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    combgpu__no3_board board;
    int i;
    if (!combgpu__no3_rebuild(job, record[0], record + 1, &board)) return 0;
    for (i = 0; i < model->lines; i++)
        if (board.now.need[i]) return 0;
    return combgpu__no3_respects(model, &board);
}

COMBGPU__PRIVATE int combgpu__no3_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    combgpu__no3_board board;
    uint32_t rebuilt[COMBGPU__NO3_WORDS + 72], orbit, words = (uint32_t)model->words, i;
    if (!combgpu__no3_rebuild(job, task[words] >> 24, task + words + 8, &board)) return 0;
    combgpu__no3_put_task(rebuilt, &board.now, board.placed, model->words, model->lines);
    for (i = 0; i < words; i++)
        if (task[i] & ~rebuilt[i]) return 0;
    for (i = words; i < words + 8; i++)
        if (task[i] != rebuilt[i]) return 0;
    /* an orbit is open on both of its lines or on none */
    for (orbit = 0; orbit < model->orbits; orbit++) {
        uint32_t row[COMBGPU__NO3_WORDS];
        int some = 0, all = 1;
        memset(row, 0, sizeof row);
        combgpu__no3_set(model, orbit, row);
        for (i = 0; i < words; i++) {
            some |= (task[i] & row[i]) != 0;
            all &= (task[i] & row[i]) == row[i];
        }
        if (some && !all) return 0;
    }
    memcpy(board.now.words, task, words * sizeof *task);
    return combgpu__no3_respects(model, &board);
}

/* The board of a record, in coordinates. */
COMBGPU__PRIVATE void combgpu__no3_rows_of(const combgpu__no3 *model, const uint32_t *record,
                                           uint64_t *rows)
{
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint32_t j;
    memset(rows, 0, 64 * sizeof *rows);
    combgpu__no3_get_placed(record + 1, placed, record[0]);
    for (j = 0; j < record[0]; j++)
        combgpu__no3_add_orbit(model, placed[j], rows);
}

/* Is a board made of whole orbits? */
COMBGPU__PRIVATE int combgpu__no3_admissible(const combgpu__no3 *model, const uint64_t *rows)
{
    uint64_t whole[64];
    int y;
    memset(whole, 0, sizeof whole);
    for (y = 0; y < model->n; y++) {
        uint64_t rest = rows[y];
        for (; rest; rest &= rest - 1) {
            uint32_t orbit = combgpu__no3_orbit_at(model, combgpu__lowest_bit64(rest), y);
            if (orbit == COMBGPU__NO3_NO_ORBIT) return 0;
            combgpu__no3_add_orbit(model, orbit, whole);
        }
    }
    return !combgpu__no3_compare(model->n, whole, rows);
}

/* The key of combgpu__no3_break, then the rows: a board is given by it. */
COMBGPU__PRIVATE void combgpu__no3_key(const combgpu__no3 *model, const uint64_t *rows,
                                       uint64_t *key)
{
    uint64_t lines[2 * COMBGPU__NO3_SIDE];
    int n = model->n, x, y, k;
    memset(lines, 0, sizeof lines);
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            if (rows[y] >> x & 1) {
                lines[2 * model->index[y]] |= UINT64_C(1) << model->index[x];
                lines[2 * model->index[x] + 1] |= UINT64_C(1) << model->index[y];
            }
    for (k = 0; k < 2 * (n / 2); k++)
        *key++ =
            (uint64_t)combgpu__lowest_bit64(lines[2 * combgpu__no3_key_line(n, k / 2) + (k & 1)]);
    for (k = 0; k < n; k++)
        *key++ = lines[2 * k];
}

/* Of a board and its images, those that this search finds too: has the board the smallest key?
   `keep`: the maps that keep the fixed cells. */
COMBGPU__PRIVATE int combgpu__no3_is_first(const combgpu__no3 *model, const uint64_t *rows,
                                           uint64_t images[8][64], unsigned keep)
{
    uint64_t own[2 * COMBGPU__NO3_SIDE], key[2 * COMBGPU__NO3_SIDE];
    int map, length = 2 * (model->n / 2) + model->n;
    combgpu__no3_key(model, rows, own);
    for (map = 1; map < 8; map++) {
        if (!(keep >> map & 1) || !combgpu__no3_admissible(model, images[map])) continue;
        combgpu__no3_key(model, images[map], key);
        if (combgpu__no3_compare(length, key, own) < 0) return 0;
    }
    return 1;
}

/* Counts a class of solutions. */
COMBGPU__PRIVATE void combgpu__no3_count(combgpu_job *job, const uint64_t *canonical,
                                         combgpu_no3_class symmetry)
{
    int n = ((const combgpu__no3 *)job->state)->n, y;
    uint64_t hash = (uint64_t)n;
    for (y = 0; y < n; y++)
        hash = combgpu__mix(hash ^ canonical[y]);
    job->sums[COMBGPU__NO3_CHECKSUM] += hash;
    job->sums[COMBGPU__NO3_CLASSES + (int)symmetry]++;
    if (symmetry == COMBGPU_NO3_NEAR_ROT4) job->sums[COMBGPU__NO3_CLASSES + COMBGPU_NO3_ROT2]++;
}

/* Shows one solution, or counts it where nobody looks. RUNNING, or FOUND or STOPPED. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_show(combgpu_job *job, const uint64_t *rows,
                                                  combgpu_no3_class symmetry)
{
    const combgpu_no3_desc *desc = &((const combgpu__no3 *)job->state)->desc;
    uint64_t calls = ++job->sums[COMBGPU__NO3_CALLS];
    int stop = desc->solution && desc->solution(rows, desc->n, symmetry, desc->solution_user);
    if (stop) return COMBGPU_STOPPED;
    return desc->limit && calls % desc->limit == 0 ? COMBGPU_FOUND : COMBGPU_RUNNING;
}

/* Has a board the fixed cells? */
COMBGPU__PRIVATE int combgpu__no3_fits(const combgpu__no3 *model, const uint64_t *rows)
{
    const combgpu__no3_given *given = &model->given;
    int y;
    for (y = 0; y < model->n; y++)
        if (given->on[0][y] & ~rows[y] || given->off[0][y] & rows[y]) return 0;
    return 1;
}

/* Is a board a solution? Asked of the board alone: the search's tables do not matter here. */
COMBGPU__PRIVATE int combgpu__no3_is_solution(int n, const uint64_t *rows)
{
    uint64_t once = 0, twice = 0;
    int x[3], y[3], i;
    for (i = 0; i < n; i++) {
        if (combgpu__popcount64(rows[i]) != 2 || twice & rows[i]) return 0;
        twice |= once & rows[i];
        once |= rows[i];
    }
    return !combgpu__no3_find_line(n, rows, x, y);
}

/* A record's board as it stands, and its images; bit `map` of *same: the image is the board.
   0: it is no solution, or it is another one's copy: *copy. */
COMBGPU__PRIVATE int combgpu__no3_board_of(const combgpu__no3 *model, const uint32_t *record,
                                           uint64_t images[8][64], unsigned *same, int *copy)
{
    uint16_t placed[COMBGPU__NO3_ORBITS];
    uint64_t rows[64];
    int frame;
    placed[0] = placed[1] = 0;
    combgpu__no3_get_placed(record + 1, placed, record[0]);
    frame = combgpu__no3_frame(model, placed);
    combgpu__no3_rows_of(model, record, rows);
    *same = combgpu__no3_images(model->n, rows, images);
    *copy = !combgpu__no3_is_first(model, rows, images, model->given.keep[frame]);
    if (*copy) return 0;
    if (frame) {
        memcpy(rows, images[model->given.turn], sizeof rows);
        *copy = combgpu__no3_admissible(model, rows); /* frame 0 has it too */
        *same = combgpu__no3_images(model->n, rows, images);
    }
    return !*copy && combgpu__no3_fits(model, rows) && combgpu__no3_is_solution(model->n, rows);
}

/* A complete board came back. Images already shown when a stop came in between are skipped. Of the
   boards that the fixed cells allow it stands for its images under the maps that keep those cells;
   the smallest allowed one of all its images stands for the class. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__no3 *model = (const combgpu__no3 *)job->state;
    uint64_t images[8][64], *shown = &job->sums[COMBGPU__NO3_IMAGE];
    const uint64_t *canonical;
    combgpu_no3_class symmetry;
    combgpu_status status = COMBGPU_RUNNING;
    unsigned same, keep = model->given.keep[0], allowed = 0;
    int map, other, first = 0, copy = 0,
                    every = model->desc.solution && model->desc.every_orientation;
    if (!combgpu__no3_adopt_record(job, record) ||
        !combgpu__no3_board_of(model, record, images, &same, &copy)) {
        if (copy) return COMBGPU_RUNNING;
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s found a board that is no solution", job->kernel.name);
    }
    for (map = 0; map < 8; map++)
        if (combgpu__no3_fits(model, images[map])) allowed |= 1u << map;
    canonical = combgpu__no3_smallest(model->n, images, allowed);
    for (map = 0; map < 8; map++)
        first |= keep >> map & 1 && !combgpu__no3_compare(model->n, images[map], canonical);
    symmetry = combgpu__no3_class(model->n, images[0], same);
    if (!*shown) {
        job->sums[COMBGPU__NO3_ALL_SUM] +=
            (uint64_t)(combgpu__popcount64(keep) / combgpu__popcount64(keep & same));
        if (first) combgpu__no3_count(job, canonical, symmetry);
    }
    for (map = *shown < 8 ? (int)*shown : 8; map < 8 && status == COMBGPU_RUNNING; map++) {
        for (other = 0; other < map; other++)
            if (keep >> other & 1 && !combgpu__no3_compare(model->n, images[map], images[other]))
                break;
        *shown = (uint64_t)map + 1;
        if (every ? keep >> map & 1 && other == map : map == 0 && first)
            status = combgpu__no3_show(job, every ? images[map] : canonical, symmetry);
    }
    if (status != COMBGPU_RUNNING && every && map < 8)
        job->pending_next--; /* it comes again when the job is stepped on */
    else
        *shown = 0;
    return status;
}

