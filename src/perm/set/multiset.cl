/* Writes multisets to the caller's memory.

   A warp takes a chunk and makes it block by block. The members of a *block* share their first
   positions; their last ones, the *tail*, run through all orders of its letters (values that
   occur). The *shape* of a tail is how often each of its letters occurs, the smallest letter first.

   For each shape the host has a list of the bytes of a block: a nibble is the index of a letter, or
   7 for a byte of the first positions. These repeat after MULTI_PERIOD units of 16 bytes, and are
   prepared as MULTI_PERIOD windows. A lane makes unit after unit. If a block ends within a unit,
   the unit's first part is carried over to the next block.

   Lane v keeps letter v: its copies left, and those of all smaller letters. Lane i keeps position
   i. */
#if defined(COMBGPU_KERNELS_MULTISET) || defined(__CUDACC__)
#define COMBGPU__MULTI_PLACES tables[COMBGPU__MULTI_AT_LENGTH]
#define COMBGPU__MULTI_LETTERS tables[COMBGPU__MULTI_AT_LETTERS]
#define COMBGPU__MULTI_PREFIX tables[COMBGPU__MULTI_AT_PREFIX]
#define COMBGPU__MULTI_PERIOD tables[COMBGPU__MULTI_AT_PERIOD]
#define COMBGPU__MULTI_COUNT combgpu_load64(tables + COMBGPU__MULTI_AT_COUNT)
#define COMBGPU__MULTI_FIRST combgpu_load64(tables + COMBGPU__MULTI_AT_FIRST)
#define COMBGPU__MULTI_OFFSET combgpu_load64(tables + COMBGPU__MULTI_AT_OFFSET)
#define COMBGPU__MULTI_TASK tables[COMBGPU__MULTI_AT_TASK]
#define COMBGPU__MULTI_PIECE_LEAST tables[COMBGPU__MULTI_AT_LEAST]
#define COMBGPU__MULTI_PIECE_MOST tables[COMBGPU__MULTI_AT_MOST]
#ifdef COMBGPU__PACKED
#define COMBGPU__MULTI_GROUPS (COMBGPU__MULTI_LANES / 32)
#else
#define COMBGPU__MULTI_GROUPS 1
#endif

/* all * r / m, an integer, for m <= 32: a shift, then times the inverse of the odd part modulo
   2^64. */
COMBGPU__DEVICE uint64_t combgpu_set_multi_part(COMBGPU__GLOBAL const uint32_t *tables,
                                                uint64_t all, uint32_t r, uint32_t m)
{
    const uint64_t low = (uint64_t)(uint32_t)all * r, high = (all >> 32) * r + (low >> 32);
    const uint32_t shift = COMBGPU__CTZ(m);
    return ((high << (32 - shift)) + ((uint32_t)low >> shift)) *
           combgpu_load64(tables + COMBGPU__MULTI_AT_INVERSES + 2 * m);
}

/* Keeps the bytes from .. to - 1 of a word, and clears the others. */
COMBGPU__DEVICE uint32_t combgpu_set_multi_keep(uint32_t word, int32_t from, int32_t to)
{
    if (from >= 4 || to <= 0) return 0;
    if (from > 0) word &= ~0u << (8 * from);
    if (to < 4) word &= ~0u >> (32 - 8 * to);
    return word;
}

/* State of a lane. */
typedef struct combgpu_set_multi_t {
    uint32_t lane, length, prefix, period, letter;
    uint32_t place, left_over, before; /* lane i: letter at position i; lane v: copies of letter v,
                                          and of smaller letters */
    int32_t block, block_end, piece, piece_end; /* bytes from `to` on */
    COMBGPU__GLOBAL uint8_t *to;
    COMBGPU__LOCAL uint4 *windows, *carry;
    COMBGPU__LOCAL uint2 *tail;
    COMBGPU__LOCAL uint32_t *text;
} combgpu_set_multi_t;

/* Members of a chunk, a multiple of 16 so that borders are aligned: the chunks fill a small number
   of whole rounds. */
COMBGPU__DEVICE uint32_t combgpu_set_multi_piece_size(COMBGPU__GLOBAL const combgpu__slice *slice,
                                                      COMBGPU__GLOBAL const uint32_t *tables)
{
    const uint32_t task_count = slice->task_count ? slice->task_count : 1;
    const uint32_t rounds =
        COMBGPU__MULTI_TASK / COMBGPU__MULTI_PIECE_MOST * task_count / slice->workers + 1;
    const uint32_t fit = rounds * slice->workers / task_count,
                   room = COMBGPU__MULTI_TASK / COMBGPU__MULTI_PIECE_LEAST;
    const uint32_t parts = fit < room ? fit : room; /* chunks of a task */
    return (COMBGPU__MULTI_TASK / (parts ? parts : 1) + 16) & ~15u;
}

/* Begins a chunk: the members from `rank` to last - 1. */
COMBGPU__DEVICE void combgpu_set_multi_begin(combgpu_set_multi_t *m,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             COMBGPU__GLOBAL uint32_t *work, uint64_t rank,
                                             uint64_t last)
{
    const uint64_t first = COMBGPU__MULTI_OFFSET + (rank - COMBGPU__MULTI_FIRST) * m->length;
    m->to = (COMBGPU__GLOBAL uint8_t *)work + (first & ~(uint64_t)127);
    m->piece = (int32_t)(first & 127);
    m->piece_end = m->piece + (int32_t)((uint32_t)(last - rank) * m->length);
    m->left_over = m->letter >> 8 & 255;
    m->before = m->letter >> 16;
}

/* Makes the first positions of the next block or, if `fresh`, of the block that contains the member
   `rank`. Returns the member's index in the block, or 0. */
COMBGPU__DEVICE uint64_t combgpu_set_multi_places(COMBGPU__GROUP_PARAMETER, combgpu_set_multi_t *m,
                                                  COMBGPU__GLOBAL const uint32_t *tables,
                                                  uint32_t fresh, uint64_t rank)
{
    uint32_t at = fresh ? 0 : m->prefix, v;
    uint64_t all = fresh ? COMBGPU__MULTI_COUNT : 0;
    /* back to the last position that can take a larger letter */
    for (v = fresh; v == 0;) {
        const uint32_t old = COMBGPU__GROUP_FROM(m->place, --at);
        m->left_over += m->lane == old;
        m->before += m->lane > old;
        v = COMBGPU__GROUP_BALLOT(m->left_over > 0) & (~1u << old);
        if (v) {
            const uint32_t next = COMBGPU__CTZ(v);
            m->left_over -= m->lane == next;
            m->before -= m->lane > next;
            if (m->lane == at) m->place = next;
        }
    }
    for (at += !fresh; at < m->prefix; at++) { /* the positions after it */
        const uint32_t rest = m->length - at;
        uint64_t smaller = 0;
        uint32_t both;
        if (fresh) smaller = combgpu_set_multi_part(tables, all, m->before, rest);
        v = COMBGPU__GROUP_BALLOT(m->left_over > 0 && smaller <= rank);
        v = fresh ? 31 - COMBGPU__CLZ(v) : COMBGPU__CTZ(v);
        both = COMBGPU__GROUP_FROM(m->before << 8 | m->left_over, v);
        if (fresh) {
            rank -= combgpu_set_multi_part(tables, all, both >> 8, rest);
            all = combgpu_set_multi_part(tables, all, both & 255, rest);
        }
        m->left_over -= m->lane == v;
        m->before -= m->lane > v;
        if (m->lane == at) m->place = v;
    }
    return rank;
}

/* Stores the letters of the tail, and the first positions repeatedly. Returns the tail's shape. */
COMBGPU__DEVICE uint32_t combgpu_set_multi_tail(COMBGPU__GROUP_PARAMETER,
                                                const combgpu_set_multi_t *m)
{
    const uint32_t letters = COMBGPU__GROUP_BALLOT(m->left_over > 0);
    uint32_t shape, v, at;
    if (m->left_over > 0)
        ((COMBGPU__LOCAL uint8_t *)m->tail)[COMBGPU__POPCOUNT(letters & ((1u << m->lane) - 1))] =
            (uint8_t)m->letter;
    shape = COMBGPU__GROUP_ADD(m->left_over > 0 && m->before > 0 ? 1u << (m->before - 1) : 0);
    v = COMBGPU__GROUP_FROM(m->letter, m->lane < m->prefix ? m->place : 0) & 255;
    if (m->lane < m->length)
        for (at = m->lane; at < m->length + 20; at += m->length)
            ((COMBGPU__LOCAL uint8_t *)m->text)[at] = m->lane < m->prefix ? (uint8_t)v : 0;
    return shape;
}

/* Makes the windows: the first positions in the units from `unit` on, until they repeat. */
COMBGPU__DEVICE void combgpu_set_multi_windows(const combgpu_set_multi_t *m, int32_t unit)
{
    if (m->lane < m->period) {
        const uint32_t byte =
            (uint32_t)(16 * (unit + (int32_t)m->lane) - m->block + 128 * (int32_t)m->length) %
            m->length;
        const uint32_t shift = 8 * (byte & 3);
        COMBGPU__LOCAL const uint32_t *from = m->text + byte / 4;
        const uint32_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4];
        uint4 window;
        window.x = (uint32_t)(((uint64_t)b << 32 | a) >> shift);
        window.y = (uint32_t)(((uint64_t)c << 32 | b) >> shift);
        window.z = (uint32_t)(((uint64_t)d << 32 | c) >> shift);
        window.w = (uint32_t)(((uint64_t)e << 32 | d) >> shift);
        m->windows[m->lane] = window;
    }
}

/* Stores a unit at a border of the block or chunk. */
COMBGPU__DEVICE void combgpu_set_multi_border(const combgpu_set_multi_t *m, int32_t byte,
                                              int32_t start, int32_t end, uint32_t fresh,
                                              uint4 carry, uint4 made)
{
    const int32_t low = start - byte, high = end - byte;
    made.x = combgpu_set_multi_keep(made.x, low, high);
    made.y = combgpu_set_multi_keep(made.y, low - 4, high - 4);
    made.z = combgpu_set_multi_keep(made.z, low - 8, high - 8);
    made.w = combgpu_set_multi_keep(made.w, low - 12, high - 12);
    if (byte < m->block && !fresh) { /* the part carried over from the last block */
        made.x |= carry.x;
        made.y |= carry.y;
        made.z |= carry.z;
        made.w |= carry.w;
    }
    if (byte + 16 > m->block_end && m->block_end < m->piece_end)
        *m->carry = made;
    else if (byte >= m->piece && byte + 16 <= m->piece_end)
        *(COMBGPU__GLOBAL uint4 *)(m->to + byte) = made;
    else {
        combgpu_perm_store_part(m->to + byte, byte, m->piece, m->piece_end, made.x);
        combgpu_perm_store_part(m->to + byte + 4, byte + 4, m->piece, m->piece_end, made.y);
        combgpu_perm_store_part(m->to + byte + 8, byte + 8, m->piece, m->piece_end, made.z);
        combgpu_perm_store_part(m->to + byte + 12, byte + 12, m->piece, m->piece_end, made.w);
    }
}

/* Makes the units of a block's bytes `start` to end - 1, with its list of tails. */
COMBGPU__DEVICE void combgpu_set_multi_units(const combgpu_set_multi_t *m,
                                             COMBGPU__GLOBAL const uint32_t *list, int32_t unit,
                                             int32_t start, int32_t end, uint32_t fresh, uint2 tail,
                                             uint4 carry)
{
    int32_t k = (int32_t)(m->lane % m->period);
    for (unit += (int32_t)m->lane; 16 * unit < end; unit += 32) {
        const int32_t byte = 16 * unit, nibble = byte - m->block;
        COMBGPU__GLOBAL const uint32_t *word = list + (nibble >> 3);
        const uint32_t shift = 4 * ((uint32_t)nibble & 7);
        if (byte + 16 > start) {
            const uint32_t a = word[0], b = word[1], c = word[2];
            const uint32_t x = (uint32_t)(((uint64_t)b << 32 | a) >> shift);
            const uint32_t y = (uint32_t)(((uint64_t)c << 32 | b) >> shift);
            uint4 made = m->windows[k];
            made.x |= combgpu_perm_choose(tail.x, tail.y, x);
            made.y |= combgpu_perm_choose(tail.x, tail.y, x >> 16);
            made.z |= combgpu_perm_choose(tail.x, tail.y, y);
            made.w |= combgpu_perm_choose(tail.x, tail.y, y >> 16);
            if (byte >= start && byte + 16 <= end)
                *(COMBGPU__GLOBAL uint4 *)(m->to + byte) = made;
            else
                combgpu_set_multi_border(m, byte, start, end, fresh, carry, made);
        }
        k += (int32_t)(32 % m->period);
        if (k >= (int32_t)m->period) k -= (int32_t)m->period;
    }
}

/* Ends a slice; called by lane 0 of each block. Adds the totals; the last block spills unclaimed
   work. */
COMBGPU__DEVICE void combgpu_set_multi_end(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tasks,
                                           COMBGPU__GLOBAL uint32_t *left,
                                           COMBGPU__LOCAL const uint64_t *accumulators,
                                           uint32_t piece_size, uint32_t pieces)
{
    uint64_t steps = 0, hash = 0;
    uint32_t v;
    for (v = 0; v < COMBGPU__BLOCK_LANES / 32; v++) {
        steps += accumulators[2 * v];
        hash += accumulators[2 * v + 1];
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_DONE, steps);
    combgpu_add_total(slice, COMBGPU__PERM_S_HASH, hash);
    if (COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) == COMBGPU__BLOCK_COUNT - 1) {
        const uint32_t next = COMBGPU__ATOMIC_ADD(&slice->area_next, 0) + slice->workers;
        uint32_t task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            uint64_t from =
                combgpu_load64(tasks + 4 * task) + (uint64_t)(next % pieces) * piece_size;
            uint64_t end = combgpu_load64(tasks + 4 * task + 2);
            if (from < end) combgpu_give_range(slice, left, from, end);
            task++;
        }
        slice->task_next = task;
    }
}

COMBGPU__KERNEL_BLOCKS(COMBGPU__MULTI_LANES, 3)
combgpu_perm_write_multiset(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__GROUP_BEGIN(32);
    COMBGPU__LOCAL_ARRAY uint4 all_windows[COMBGPU__MULTI_GROUPS * 32],
        carries[COMBGPU__MULTI_GROUPS];
    COMBGPU__LOCAL_ARRAY uint2 tails[COMBGPU__MULTI_GROUPS];
    COMBGPU__LOCAL_ARRAY uint32_t all_texts[COMBGPU__MULTI_GROUPS * 16];
    COMBGPU__LOCAL_ARRAY uint64_t accumulators[COMBGPU__MULTI_GROUPS * 2];
    const uint32_t lane = COMBGPU__GROUP_LANE, own = COMBGPU__LANE_ID / 32;
    const uint32_t piece_size = combgpu_set_multi_piece_size(slice, tables);
    const uint32_t pieces = (COMBGPU__MULTI_TASK + piece_size - 1) / piece_size;
    uint32_t taken = COMBGPU__GROUP_INDEX < slice->workers ? COMBGPU__GROUP_INDEX : COMBGPU__NONE;
    uint64_t steps = 0, hash = 0;
    combgpu_set_multi_t m;
    (void)records;
    m.lane = lane, m.length = COMBGPU__MULTI_PLACES, m.prefix = COMBGPU__MULTI_PREFIX;
    m.period = COMBGPU__MULTI_PERIOD;
    m.letter = lane < COMBGPU__MULTI_LETTERS ? tables[COMBGPU__MULTI_AT_LETTER + lane] : 0;
    m.place = m.left_over = m.before = 0;
    m.block = m.block_end = m.piece = m.piece_end = 0;
    m.to = (COMBGPU__GLOBAL uint8_t *)work;
    m.windows = all_windows + 32 * own, m.carry = carries + own;
    m.tail = tails + own, m.text = all_texts + 16 * own;
    if (lane == 0) {
        m.tail->x = m.tail->y = 0;
        m.carry->x = m.carry->y = m.carry->z = m.carry->w = 0;
    }
    for (;;) {
        const uint32_t fresh = m.block_end >= m.piece_end; /* a chunk begins; equal in all lanes */
        uint64_t rank = 0;
        uint32_t shape;
        int32_t start, end, unit;
        uint2 tail;
        uint4 carry;
        if (fresh) {
            const uint32_t number = COMBGPU__GROUP_FROM(taken, 0), part = number % pieces;
            const uint32_t task = number / pieces;
            uint64_t last;
            if (number == COMBGPU__NONE || task >= slice->task_count) break;
            rank = combgpu_load64(tasks + 4 * task) + (uint64_t)part * piece_size;
            last = combgpu_load64(tasks + 4 * task + 2);
            if (part < pieces - 1 && rank < last && last - rank > piece_size)
                last = rank + piece_size;
            if (rank < last) {
                steps += last - rank;
                hash += combgpu_mix(last) - combgpu_mix(rank);
            }
            taken = COMBGPU__NONE;
            if (lane == 0 && !combgpu_spent(slice, (uint32_t)steps))
                taken = COMBGPU__ATOMIC_ADD(&slice->area_next, 1) + slice->workers;
            if (rank >= last) continue;
            combgpu_set_multi_begin(&m, tables, work, rank, last);
        }
        rank = combgpu_set_multi_places(COMBGPU__GROUP, &m, tables, fresh, rank);
        shape = combgpu_set_multi_tail(COMBGPU__GROUP, &m);
        m.block = fresh ? m.piece - (int32_t)((uint32_t)rank * m.length) : m.block_end;
        m.block_end =
            m.block + (int32_t)(tables[COMBGPU__MULTI_AT_SHAPES + 2 * shape + 1] * m.length);
        start = m.block > m.piece ? m.block : m.piece;
        end = m.block_end < m.piece_end ? m.block_end : m.piece_end;
        unit = start >> 7 << 3; /* a warp stores whole lines of 128 bytes */
        COMBGPU__WARP_BARRIER();
        combgpu_set_multi_windows(&m, unit);
        tail = *m.tail;
        carry = *m.carry;
        COMBGPU__WARP_BARRIER();
        combgpu_set_multi_units(&m, tables + tables[COMBGPU__MULTI_AT_SHAPES + 2 * shape], unit,
                                start, end, fresh, tail, carry);
    }
    if (lane == 0) {
        accumulators[2 * own] = steps;
        accumulators[2 * own + 1] = hash;
    }
    COMBGPU__LOCAL_BARRIER();
    if (COMBGPU__LANE_ID == 0)
        combgpu_set_multi_end(slice, tasks, left, accumulators, piece_size, pieces);
}

#endif
