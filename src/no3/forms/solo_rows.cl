/* No-three-in-line kernels, the full search up to n = 21: the rows that a step removes, and the
   kernels. */

/* The byte offset of the row for a new point and a placed one; 0: the empty row. */
COMBGPU__DEVICE uint32_t combgpu_no3_solo_id(const combgpu_no3_solo *form,
                                             const combgpu_no3_solo_choice *choice, uint32_t placed)
{
    const uint32_t extra = form->extra, a = choice->cell, b = placed;
    COMBGPU__GLOBAL const uint8_t *from =
        (COMBGPU__GLOBAL const uint8_t *)form->table + COMBGPU__NO3_SOLO_PAIRS(extra);
    uint32_t last = max(a, b), word, line, row;
    if (extra < 2)
        return *(COMBGPU__GLOBAL const uint16_t *)(from + (extra ? last * (last - 1) + 2 * (a + b)
                                                                 : 512 * a + 2 * b));
    word = *(COMBGPU__GLOBAL const uint32_t *)(from + (COMBGPU__NO3_SOLO_CENTRE(extra) - a + b));
    line = (word >> 16) + choice->at_x * (uint32_t)((int32_t)(word << 24) >> 24) +
           choice->at_y * (uint32_t)((int32_t)(word << 16) >> 24);
    row = *(COMBGPU__GLOBAL const uint16_t *)(from + COMBGPU__NO3_SOLO_DIRECTIONS(extra) + line);
    if (row >= COMBGPU__NO3_SOLO_THIRD) row -= COMBGPU__NO3_SOLO_THIRD + a + b;
    return 4 * row;
}

COMBGPU__DEVICE void combgpu_no3_solo_row(const combgpu_no3_solo *form, uint32_t *row, uint32_t id)
{
    const uint32_t extra = form->extra, rows = COMBGPU__NO3_SOLO_ROWS(extra);
    COMBGPU__GLOBAL const uint8_t *from = (COMBGPU__GLOBAL const uint8_t *)form->table;
    combgpu_no3_load(row, (COMBGPU__GLOBAL const uint32_t *)(from + id), 4);
    combgpu_no3_load(row + 4, (COMBGPU__GLOBAL const uint32_t *)(from + 16 * rows + id), 4);
    from += 32 * rows;
    if (extra == 1) row[8] = *(COMBGPU__GLOBAL const uint32_t *)(from + (id >> 2));
    if (extra > 1) combgpu_no3_load(row + 8, (COMBGPU__GLOBAL const uint32_t *)(from + id), 4);
    from += 16 * rows;
    if (extra == 4) row[12] = *(COMBGPU__GLOBAL const uint32_t *)(from + (id >> 2));
    if (extra == 5) {
        uint2 pair = *(COMBGPU__GLOBAL const uint2 *)(from + (id >> 1));
        row[12] = pair.x;
        row[13] = pair.y;
    }
}

/* Takes four placed points at once. After the last point the cell itself fills up: its row with
   itself is empty. */
COMBGPU__DEVICE void combgpu_no3_solo_propagate(const combgpu_no3_solo *form,
                                                combgpu_no3_solo_board *board,
                                                const combgpu_no3_solo_choice *choice, uint32_t go)
{
    const uint32_t wide = form->extra > 0, limit = choice->limit, far = limit >> 2,
                   rest = limit & 3;
    const uint32_t cells = choice->cell * (wide ? 0x10001u : 0x01010101u);
    const uint32_t a =
        wide ? (rest ? (rest == 1 ? 0xffff0000u : 0) : COMBGPU__NONE) : COMBGPU__NONE << 8 * rest;
    const uint32_t b = rest == 3 ? 0xffff0000u : COMBGPU__NONE;
    uint32_t most = 0, i, j, k;
    (void)go;
    COMBGPU__NO3_UNROLL
    for (k = 0; k < (32 + 2 * form->extra + 3) / 4; k++) {
        uint32_t id[4], row[14], p0, p1;
        if (!COMBGPU__NO3_LANE_ANY(4 * k < limit)) break;
        p0 = board->list[wide ? 2 * k : k];
        p1 = wide && 2 * k + 1 < 21 ? board->list[2 * k + 1] : 0;
        if (k == far) {
            p0 = (p0 & ~a) | (cells & a);
            p1 = (p1 & ~b) | (cells & b);
        }
        if (k > far) p0 = p1 = cells;
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++) {
            id[j] = combgpu_no3_solo_id(form, choice,
                                        wide ? (j < 2 ? p0 : p1) >> 16 * (j & 1) & 0xffff
                                             : p0 >> 8 * j & 255);
            if (form->extra == 1) most = max(most, id[j]);
        }
        COMBGPU__NO3_UNROLL
        for (j = 0; j < 4; j++)
            if (form->extra == 1 || id[j]) { /* n = 17: a branch costs more than empty rows save */
                combgpu_no3_solo_row(form, row, id[j]);
                COMBGPU__NO3_UNROLL
                for (i = 0; i < form->share; i++)
                    board->words[i] &= ~row[i];
            }
    }
    if (form->extra == 1 && most >= form->corner) board->more &= ~COMBGPU__NO3_SOLO_CORNER;
}

COMBGPU__DEVICE void combgpu_no3_solo_search(COMBGPU__SLICE_ARGUMENTS,
                                             COMBGPU__GLOBAL const uint32_t *table,
                                             const uint32_t extra)
{
    const uint32_t index = COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID;
    combgpu_no3_solo form = combgpu_no3_solo_begin(tables, table, extra);
    combgpu_no3_worker worker =
        combgpu_no3_worker_begin(slice, work + index * form.room * form.level_words, index);
    combgpu_no3_solo_board board;
    combgpu_no3_clear(board.words, 14);
    combgpu_no3_clear(board.list, 21);
    board.one = board.two = board.more = 0;
    COMBGPU__NO3_SEARCH(solo, LANE);
}

#define COMBGPU__NO3_SOLO_KERNEL(name, extra)                                                      \
    COMBGPU__KERNEL name(COMBGPU__SLICE_ARGUMENTS)                                                 \
    {                                                                                              \
        combgpu_no3_solo_search(slice, tables, tasks, left, records, work,                         \
                                tables + tables[COMBGPU__NO3_AT_SOLO], extra);                     \
    }
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo, 0)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo17, 1)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo18, 2)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo19, 3)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo20, 4)
COMBGPU__NO3_SOLO_KERNEL(combgpu_no3_search_solo21, 5)

#ifdef __CUDACC__
/* The forms with the table in shared memory; one block on a multiprocessor. */
#define COMBGPU__NO3_SOLO_SHARED(name, lanes, extra)                                               \
    static __global__ void __launch_bounds__(lanes, 1) name(COMBGPU__SLICE_ARGUMENTS)              \
    {                                                                                              \
        extern __shared__ uint4 combgpu_no3_solo_table[];                                          \
        const uint4 *from = (const uint4 *)(tables + tables[COMBGPU__NO3_AT_SOLO]);                \
        uint32_t i;                                                                                \
        for (i = COMBGPU__LANE_ID; i < COMBGPU__NO3_SOLO_BYTES(extra) / 16;                        \
             i += COMBGPU__BLOCK_LANES)                                                            \
            combgpu_no3_solo_table[i] = from[i];                                                   \
        COMBGPU__BLOCK_BARRIER();                                                                  \
        combgpu_no3_solo_search(slice, tables, tasks, left, records, work,                         \
                                (const uint32_t *)combgpu_no3_solo_table, extra);                  \
    }
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo_shared, 512, 0)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo17_shared, 384, 1)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo18_shared, 384, 2)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo19_shared, 384, 3)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo20_shared, 352, 4)
COMBGPU__NO3_SOLO_SHARED(combgpu_no3_search_solo21_shared, 352, 5)
#endif
