/* The counting kernel of the order 5 join where lanes exchange registers. */
#ifdef COMBGPU_SHUFFLE
/* Lane 0 takes the next configurations, all of a pair in a task; every lane returns the first, or
   COMBGPU__NONE at the end of the slice, and their number. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_next(COMBGPU__GROUP_PARAMETER,
                                                combgpu_five_books_t *books,
                                                COMBGPU__GLOBAL combgpu__slice *slice,
                                                COMBGPU__GLOBAL const uint32_t *tasks,
                                                COMBGPU__GLOBAL uint32_t *left, uint32_t full,
                                                uint32_t *count)
{
    uint32_t number = COMBGPU__NONE;
    if (COMBGPU__GROUP_LANE == 0 && COMBGPU__GROUP_INDEX < slice->workers)
        number = combgpu_five_next(books, slice, tasks, left, full);
    number = COMBGPU__GROUP_FROM(number, 0);
    books->next = number;
    *count = COMBGPU__MAGIC_WAYS - number % COMBGPU__MAGIC_WAYS;
    books->end = COMBGPU__GROUP_FROM(books->end, 0);
    if (*count > books->end - number) *count = books->end - number;
    return number;
}

/* Books the squares of `count` configurations of a pair. Returns 0 without room for a record. */
COMBGPU__DEVICE uint32_t combgpu_five_ring_book(COMBGPU__GROUP_PARAMETER,
                                                COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                                combgpu_five_books_t *books,
                                                COMBGPU__GLOBAL combgpu__slice *slice,
                                                COMBGPU__GLOBAL const uint32_t *tables,
                                                COMBGPU__GLOBAL uint32_t *records, uint32_t count)
{
    const uint32_t way = books->next % COMBGPU__MAGIC_WAYS,
                   centre =
                       tables[COMBGPU__JOIN_AT_PAIR + 2 * (books->next / COMBGPU__MAGIC_WAYS)] & 31;
    uint32_t i, booked = count;
    if (tables[COMBGPU__JOIN_AT_LIST] && COMBGPU__GROUP_LANE == 0)
        for (i = 0; i < booked; i++) {
            uint32_t squares = r->squares[way + i], at;
            if (!squares) continue;
            at = combgpu_emit(slice);
            if (at == COMBGPU__NONE) {
                booked = i;
                break;
            }
            records[2 * at] = books->next + i;
            records[2 * at + 1] = squares;
        }
    booked = COMBGPU__GROUP_FROM(booked, 0);
    if (centre != books->centre) {
        if (books->joined)
            combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books->centre, books->joined);
        books->joined = 0;
        books->centre = centre;
    }
    for (i = COMBGPU__GROUP_LANE; i < booked; i += 32) {
        books->joined += r->squares[way + i];
        books->hash += combgpu_mix((uint64_t)(books->next + i) << 32 | r->squares[way + i]);
    }
    books->steps += booked;
    books->next += booked;
    return booked == count;
}

COMBGPU__KERNEL_BLOCKS(32 * COMBGPU__MAGIC_GROUPS, COMBGPU__MAGIC_RING_BLOCKS)
combgpu_magic_join(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY combgpu_five_ring_t rings[COMBGPU__MAGIC_GROUPS];
    COMBGPU__LOCAL combgpu_five_ring_t *r = &rings[COMBGPU__LANE_ID / 32];
    combgpu_five_books_t books;
    uint32_t full = 0, number, count;
    COMBGPU__GROUP_BEGIN(32);
    (void)work;
    books.next = books.end = books.steps = books.centre = 0;
    books.joined = books.hash = 0;
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *pair;
        uint32_t unused, way;
        number = combgpu_five_ring_next(COMBGPU__GROUP, &books, slice, tasks, left, full, &count);
        if (number == COMBGPU__NONE) break;
        way = number % COMBGPU__MAGIC_WAYS;
        pair = tables + COMBGPU__JOIN_AT_PAIR + 2 * (number / COMBGPU__MAGIC_WAYS);
        unused = combgpu_five_ring_pair(COMBGPU__GROUP, r, pair);
        COMBGPU__WARP_BARRIER();
        combgpu_five_ring_paths(COMBGPU__GROUP, r, unused);
        combgpu_five_ring_ways(COMBGPU__GROUP, r, tables + COMBGPU__JOIN_AT_WAY, pair[0] & 31, way,
                               way + count);
        combgpu_five_ring_join(COMBGPU__GROUP, r, 0, unused, pair[0] & 31, way, way + count);
        full = !combgpu_five_ring_book(COMBGPU__GROUP, r, &books, slice, tables, records, count);
        COMBGPU__WARP_BARRIER();
    }
    if (COMBGPU__GROUP_LANE == 0) combgpu_add_total(slice, 0, books.steps);
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, books.hash);
    if (books.joined) combgpu_add_total(slice, COMBGPU__MAGIC_JOINED + books.centre, books.joined);
}
#endif
