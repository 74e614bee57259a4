/* The full search up to n = 17. A lane has a board of its own, the rows alone: word j < 8 has row j in
   its high half and row 8 + j in its low half, column 0 in the top bit of a half. With n = 17 (`wide`)
   word 8 has column 16 in its high half and row 16 in its low half, as of the other 16 lines; where
   these two lines meet, and what they have, is in `more`. How many open cells a row or column has is
   counted by adding words up bit by bit (carry-save), for all at once: a line's count is a bit in each
   of four masks of all 32 lines, rows in the high half and columns in the low one, line 0 in the top
   bit of its half (those of lines 16: `xs` and so on, bits 31 and 15). So few instructions find the
   line to look at. The rows that a step removes, and their numbers by pairs of points, are read from
   `table`, which fits the shared memory of a large multiprocessor. */
#define NO3_SOLO_LEVEL 12  /* words of a stack level: the board, `one`, `two`, `more` */
#define NO3_SOLO_LEVELS 15 /* a lane with so many waits for the end of the slice: very few */
#define NO3_SOLO_ROWS(wide) ((wide) ? 3495u : 2723u)
#define NO3_SOLO_CORNER 256u /* in `more`: the cell is open; the number of points is below */
#define NO3_MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))
#ifdef COMBGPU_SHUFFLE
#define NO3_SOLO_ANY(p) CREW_ANY(p)
#else
#define NO3_SOLO_ANY(p) (p)
#endif

/* The bytes before the row for two points; 0: the empty row. */
DEVICE u32 combgpu_no3_solo_id(GLOBAL const u32 *table, u32 a, u32 b, const u32 wide)
{
    u32 last = max(a, b), at = wide ? last * (last - 1) + 2 * (a + b) : 512 * a + 2 * b;
    return *(GLOBAL const u16 *)((GLOBAL const u8 *)table + (wide ? 36 : 32) * NO3_SOLO_ROWS(wide) +
                                 at);
}

DEVICE void combgpu_no3_solo_row(u32 *row, GLOBAL const u32 *table, u32 id, const u32 wide)
{
    GLOBAL const u8 *from = (GLOBAL const u8 *)table;
    uint4 a = *(GLOBAL const uint4 *)(from + id);
    uint4 b = *(GLOBAL const uint4 *)(from + 16 * NO3_SOLO_ROWS(wide) + id);
    row[0] = a.x;
    row[1] = a.y;
    row[2] = a.z;
    row[3] = a.w;
    row[4] = b.x;
    row[5] = b.y;
    row[6] = b.z;
    row[7] = b.w;
    if (wide) row[8] = *(GLOBAL const u32 *)(from + 32 * NO3_SOLO_ROWS(wide) + (id >> 2));
}

/* Number c of the list as an orbit. */
DEVICE u32 combgpu_no3_solo_orbit(const u32 *list, u32 c, u32 n, const u32 wide)
{
    u32 point;
    if (wide) return c < 36 ? list[c >> 1] >> 16 * (c & 1) & 0xffff : 0;
    point = list[c >> 2] >> 8 * (c & 3) & 255;
    return (point >> 4) * n + (point & 15);
}

DEVICE void combgpu_no3_solo_list(GLOBAL u32 *to, const u32 *list, u32 n, const u32 wide)
{
    u32 i;
    NO3_UNROLL
    for (i = 0; i < (wide ? 18 : 16); i++)
        to[i] = combgpu_no3_solo_orbit(list, 16 * (i >> 3) + (i & 7), n, wide) |
                combgpu_no3_solo_orbit(list, 16 * (i >> 3) + (i & 7) + 8, n, wide) << 16;
    for (; i < (wide ? 48 : 16); i++)
        to[i] = 0;
}

/* Points that a line (row 2i, column 2i + 1) needs. */
DEVICE u32 combgpu_no3_solo_need(u32 one, u32 two, u32 more, u32 line)
{
    u32 i = line >> 1, at = i + 16 * (line & 1);
    if (i == 16) return 2 - (more << (at - 16) >> 31) - (more << (at - 15) >> 31);
    return i > 16 ? 0 : 2 - (one << at >> 31) - (two << at >> 31);
}

DEVICE void combgpu_no3_solo_pop(u32 *words, u32 *one, u32 *two, u32 *more, GLOBAL const u32 *top,
                                 const u32 wide)
{
    uint4 last = *(GLOBAL const uint4 *)(top + 8);
    combgpu_no3_load(words, top, 8);
    if (wide) words[8] = last.x;
    *one = last.y;
    *two = last.z;
    *more = last.w;
}

DEVICE void combgpu_no3_solo(SLICE_ARGUMENTS, GLOBAL const u32 *table, const u32 wide)
{
    const u32 n = tables[NO3_AT_SIDE], board_words = wide ? 48 : 16, part = wide ? 6 : 4;
    const u32 list_words = wide ? 48 : 16, task_words = board_words + 8 + list_words;
    const u32 share = 8 + wide, corner = tables[NO3_AT_SOLO_CORNER];
    const u32 index = BLOCK_ID * BLOCK_LANES + LANE_ID;
    GLOBAL u32 *top = work + index * NO3_SOLO_LEVELS * NO3_SOLO_LEVEL;
    u32 words[9], list[18];
    u32 one = 0, two = 0; /* as above, of lines 0 to 15 */
    u32 more = 0;         /* bits 31, 30: `one`, `two` of row 16; 15, 14: of column 16 */
    u32 levels = 0, steps = 0, turns = slice->budget, i, j, k, at;
    u32 busy = index < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: this is a board; 2: it cannot go on in this slice */

    NO3_UNROLL
    for (i = 0; i < 9; i++)
        words[i] = 0;
    NO3_UNROLL
    for (i = 0; i < 18; i++)
        list[i] = 0;

    for (;;) {
        u32 s, t, f, e, c, rows, low, lines, forced, dead, is_row, first, x, y, cell, cells;
        u32 a, b, ca, cb, cc, fa, open, rest, go, solved, count, limit, far, most;
        u32 xs = 0, xt = 0, xf = 0, xe = 0, xopen = 0, xrest = 0, xlines = 0, xforced = 0;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (NO3_SOLO_ANY(combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= NO3_SOLO_LEVEL;
            levels--;
            combgpu_no3_solo_pop(words, &one, &two, &more, top, wide);
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            if (busy && !have) {
                at = turns ? combgpu_take(slice) : NONE;
                busy = have = at != NONE;
                if (have) {
                    GLOBAL const u32 *from = tasks + (u64)at * task_words;
                    one = two = 0;
                    more = from[board_words] >> 24;
                    for (i = 0; i < 32; i++) {
                        u32 need = from[board_words + i / part] >> 2 * (i % part) & 3;
                        u32 bit = 0x80000000u >> ((i >> 1) + 16 * (i & 1));
                        if (need < 2) one |= bit;
                        if (need < 1) two |= bit;
                    }
                    NO3_UNROLL
                    for (j = 0; j < 8; j++)
                        words[j] = wide ? (from[2 * j] & 0xffff0000u) | from[2 * j + 16] >> 16
                                        : from[j] << 16 | (from[j + 8] & 0xffff);
                    if (wide) {
                        u32 row = from[53] >> 4 & 3, column = from[53] >> 6 & 3;
                        words[8] = (from[33] & 0xffff0000u) | from[32] >> 16;
                        if (from[32] & 0x8000) more |= NO3_SOLO_CORNER;
                        if (row < 2) more |= 0x80000000u;
                        if (row < 1) more |= 0x40000000u;
                        if (column < 2) more |= 0x8000;
                        if (column < 1) more |= 0x4000;
                    }
                    from += board_words + 8;
                    NO3_UNROLL
                    for (i = 0; i < 18; i++)
                        list[i] = 0;
                    NO3_UNROLL
                    for (i = 0; i < (wide ? 34 : 32); i++) {
                        u32 orbit = from[8 * (i >> 4) + (i & 7)] >> (i & 8 ? 16 : 0) & 0xffff;
                        if (wide)
                            list[i >> 1] |= orbit << 16 * (i & 1);
                        else
                            list[i >> 2] |= (orbit / n << 4 | orbit % n) << 8 * (i & 3);
                    }
                }
            }
        }
        go = have == 1 && turns && levels < NO3_SOLO_LEVELS;
        if (!NO3_SOLO_ANY(go)) break;
        turns--;

        /* how many open cells each line has: 1 * s + 2 * t + 4 * f, and e if 8 or more */
        rows = low = 0;
        NO3_UNROLL
        for (j = 0; j < 8; j++) {
            k = POPCOUNT(words[j] >> 16);
            rows = 2 * rows + (min(k, 15u) * 0x00204081u & 0x01010101u);
            k = POPCOUNT(words[j] & 0xffff);
            low = 2 * low + (min(k, 15u) * 0x00204081u & 0x01010101u);
        }
        a = words[0] ^ words[1] ^ words[2];
        ca = NO3_MAJORITY(words[0], words[1], words[2]);
        b = words[3] ^ words[4] ^ words[5];
        cb = NO3_MAJORITY(words[3], words[4], words[5]);
        s = a ^ b ^ words[6];
        cc = NO3_MAJORITY(a, b, words[6]);
        c = s & words[7];
        s ^= words[7];
        t = ca ^ cb ^ cc;
        fa = NO3_MAJORITY(ca, cb, cc);
        f = fa ^ (t & c);
        e = fa & t & c;
        t ^= c;
        a = s & s >> 16; /* both halves of the rows */
        s ^= s >> 16;
        b = NO3_MAJORITY(t, t >> 16, a);
        t ^= t >> 16 ^ a;
        e |= e >> 16 | NO3_MAJORITY(f, f >> 16, b);
        f ^= f >> 16 ^ b;
        s = (s & 0xffff) | (rows & 0xff) << 24 | (low & 0xff) << 16;
        t = (t & 0xffff) | (rows & 0xff00) << 16 | (low & 0xff00) << 8;
        f = (f & 0xffff) | (rows & 0xff0000) << 8 | (low & 0xff0000);
        e = (e & 0xffff) | (rows & 0xff000000u) | (low >> 8 & 0xff0000);
        if (wide) { /* one cell more in each; then the other two lines, in bits 31 and 15 */
            a = s & words[8];
            s ^= words[8];
            b = t & a;
            t ^= a;
            e |= f & b;
            f ^= b;
            k = more >> 8 & 1;
            a = POPCOUNT(words[8] & 0xffff) + k;
            b = POPCOUNT(words[8] >> 16) + k;
            xe = min(a, 15u) << 28 | min(b, 15u) << 12;
            xf = xe << 1;
            xt = xe << 2;
            xs = xe << 3;
        }

        /* the line to look at: see above */
        open = ~(two | f | e);
        rest = ~(two | one);
        dead = open & ~t & ~(s & one);
        forced = open & (s ^ t) & ~(s ^ one);
        lines = open & t & (s ^ one);
        if (wide) {
            xopen = ~(more << 1 | xf | xe) & 0x80008000u;
            xrest = ~(more << 1 | more) & 0x80008000u;
            dead |= xopen & ~xt & ~(xs & more);
            xforced = xopen & (xs ^ xt) & ~(xs ^ more);
            xlines = xopen & xt & (xs ^ more);
        }
        if (!(lines | xlines)) {
            lines = rest & f & ~(e | t | s);
            xlines = xrest & xf & ~(xe | xt | xs);
        }
        if (!(lines | xlines)) {
            lines = rest & f & s & ~(e | t);
            xlines = xrest & xf & xs & ~(xe | xt);
        }
        if (!(lines | xlines)) {
            lines = rest & (e | (f & t));
            xlines = xrest & (xe | (xf & xt));
        }
        if (!(lines | xlines)) {
            lines = one & ~two & (e | f | (s & t));
            xlines = more & ~(more << 1) & (xe | xf | (xs & xt)) & 0x80008000u;
        }
        if (forced | xforced) {
            lines = forced;
            xlines = xforced;
        }
        i = CLZ(lines | lines << 16);
        is_row = lines << (i & 31) >> 31;
        solved = two == NONE;
        if (wide) {
            if (!lines) {
                i = 16;
                is_row = xlines >> 31;
            }
            solved = solved && (more & 0x40004000u) == 0x40004000u;
            forced |= xforced;
        }

        NO3_IF_ANY(go && solved)
        {
            if (go && solved) {
                at = combgpu_emit(slice);
                if (at != NONE) {
                    GLOBAL u32 *to = records + (u64)at * (1 + list_words);
                    to[0] = 2 * n;
                    combgpu_no3_solo_list(to + 1, list, n, wide);
                    have = 0;
                    steps++;
                } else
                    have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && dead) have = go = 0;

        /* its first open cell */
        at = i & 2 ? (i & 1 ? words[3] : words[2]) : (i & 1 ? words[1] : words[0]);
        k = i & 2 ? (i & 1 ? words[7] : words[6]) : (i & 1 ? words[5] : words[4]);
        at = i & 4 ? k : at;
        at = i & 8 ? at << 16 : at & 0xffff0000u;
        k = 0;
        NO3_UNROLL
        for (j = 0; j < 8; j++)
            k = 2 * k + (words[j] >> (15 - (i & 15)) & 0x10001);
        k = (k << 8 & 0xff000000u) | (k << 16 & 0x00ff0000u);
        if (wide) {
            at |= words[8] << (i & 15) >> 16 & 0x8000;
            k |= words[8] << (i & 15) & 0x8000;
            if (i == 16) {
                c = (more & NO3_SOLO_CORNER) << 7;
                at = words[8] << 16 | c;
                k = (words[8] & 0xffff0000u) | c;
            }
        }
        first = CLZ(is_row ? at : k);
        y = is_row ? i : first;
        x = is_row ? first : i;
        cell = go ? (wide ? 17 * y + x : y << 4 | x) : 0;

        count = more & 63;
        limit = go ? count : 0;
        if (go) {
            u32 word = y & 7, bit = 0x80000000u >> (x + 2 * (y & 8));
            if (wide) {
                if (y == 16) {
                    word = 8;
                    bit = 0x8000u >> x;
                }
                if (x == 16) {
                    word = 8;
                    bit = y < 16 ? 0x80000000u >> y : 0;
                    if (y == 16) more &= ~NO3_SOLO_CORNER;
                }
            }
            NO3_UNROLL
            for (j = 0; j < share; j++)
                words[j] &= ~(j == word ? bit : 0);
            if (!forced) { /* the board without it waits */
                uint4 last;
                last.x = wide ? words[8] : 0;
                last.y = one;
                last.z = two;
                last.w = more;
                combgpu_no3_store(top, words, 8);
                *(GLOBAL uint4 *)(top + 8) = last;
                top += NO3_SOLO_LEVEL;
                levels++;
            }
            k = (0x80000000u >> (y & 31) & 0xffff0000u) | 0x8000u >> (x & 31);
            at = one & k; /* lines that are full now */
            one |= k;
            two |= at;
            c = (at & 0xffff) * 0x10001u;
            k = at >> 16 ? (y & 8 ? 0xffff : 0xffff0000u) : 0;
            NO3_UNROLL
            for (j = 0; j < 8; j++)
                words[j] &= ~(c | (j == (y & 7) ? k : 0));
            if (wide) {
                k = (y == 16 ? 0x80000000u : 0) | (x == 16 ? 0x8000 : 0);
                c = more & k;
                more |= k | c >> 1;
                if (c) more &= ~NO3_SOLO_CORNER;
                words[8] &= ~(at | (c >> 31 ? 0xffff : 0) | (c & 0x8000 ? 0xffff0000u : 0));
                k = 0xffffu << 16 * (count & 1);
                NO3_UNROLL
                for (j = 0; j < 17; j++) {
                    u32 here = count >> 1 == j ? k : 0;
                    list[j] = (list[j] & ~here) | (cell * 0x10001u & here);
                }
            } else {
                k = 255u << 8 * (count & 3);
                NO3_UNROLL
                for (j = 0; j < 8; j++) {
                    u32 here = count >> 2 == j ? k : 0;
                    list[j] = (list[j] & ~here) | (cell * 0x01010101u & here);
                }
            }
            more++;
        }

        /* what is in line with it and a point placed before; instead of points that there are not,
           the cell itself, with which it has the empty row */
        cells = cell * (wide ? 0x10001u : 0x01010101u);
        k = limit & 3;
        a = wide ? (k ? (k == 1 ? 0xffff0000u : 0) : NONE) : NONE << 8 * k;
        b = k == 3 ? 0xffff0000u : NONE;
        far = limit >> 2;
        most = 0;
        NO3_UNROLL
        for (k = 0; k < (wide ? 9 : 8); k++) {
            u32 id[4], row[9], p0, p1;
            if (!NO3_SOLO_ANY(4 * k < limit)) break;
            p0 = list[wide ? 2 * k : k];
            p1 = wide ? list[2 * k + 1] : 0;
            if (k == far) {
                p0 = (p0 & ~a) | (cells & a);
                p1 = (p1 & ~b) | (cells & b);
            }
            if (k > far) p0 = p1 = cells;
            NO3_UNROLL
            for (j = 0; j < 4; j++) {
                at = wide ? (j < 2 ? p0 : p1) >> 16 * (j & 1) & 0xffff : p0 >> 8 * j & 255;
                id[j] = combgpu_no3_solo_id(table, cell, at, wide);
                if (wide) most = max(most, id[j]);
            }
            NO3_UNROLL
            for (j = 0; j < 4; j++)
                if (wide || id[j]) { /* n = 17: a branch costs more than half of them save */
                    combgpu_no3_solo_row(row, table, id[j], wide);
                    NO3_UNROLL
                    for (i = 0; i < share; i++)
                        words[i] &= ~row[i];
                }
        }
        if (wide && most >= corner) more &= ~NO3_SOLO_CORNER;
    }

    /* give back the board and the stack: their lists begin alike */
    while (have || levels) {
        GLOBAL u32 *to = left + (u64)combgpu_give(slice) * task_words;
        if (have)
            have = 0;
        else {
            top -= NO3_SOLO_LEVEL;
            levels--;
            combgpu_no3_solo_pop(words, &one, &two, &more, top, wide);
        }
        for (i = 0; i < 16; i++) { /* column i: bits of all rows */
            u32 column = 0;
            NO3_UNROLL
            for (j = 0; j < 8; j++) {
                k = words[j] >> (15 - i) & 0x10001;
                column |= (k >> 1 | k << 7) >> j;
            }
            column &= 0xffff;
            if (wide)
                to[2 * i + 1] = column << 16 | (words[8] << i & 0x8000);
            else
                to[i] = column << 16;
        }
        NO3_UNROLL
        for (j = 0; j < 8; j++)
            if (wide) {
                to[2 * j] = (words[j] & 0xffff0000u) | (words[8] << j >> 16 & 0x8000);
                to[2 * j + 16] = words[j] << 16 | (words[8] << (j + 8) >> 16 & 0x8000);
            } else {
                to[j] |= words[j] >> 16;
                to[j + 8] |= words[j] & 0xffff;
            }
        if (wide) {
            k = (more & NO3_SOLO_CORNER) << 7;
            to[32] = words[8] << 16 | k;
            to[33] = (words[8] & 0xffff0000u) | k;
            for (i = 34; i < 48; i++)
                to[i] = 0;
        }
        to += board_words;
        for (i = 0; i < 8; i++) {
            u32 needs = (more & 63) << 24;
            for (k = 0; k < part; k++)
                needs |= combgpu_no3_solo_need(one, two, more, i * part + k) << 2 * k;
            to[i] = needs;
        }
        combgpu_no3_solo_list(to + 8, list, n, wide);
    }
    combgpu_add_total(slice, 0, steps);
}

#define NO3_SOLO_KERNEL(name, wide)                                                                \
    KERNEL name(SLICE_ARGUMENTS)                                                                   \
    {                                                                                              \
        combgpu_no3_solo(slice, tables, tasks, left, records, work, tables + tables[NO3_AT_SOLO],  \
                         wide);                                                                    \
    }
NO3_SOLO_KERNEL(combgpu_no3_search_solo, 0)
NO3_SOLO_KERNEL(combgpu_no3_search_solo17, 1)

#ifdef __CUDACC__
/* The forms with the table, of so many bytes, in shared memory; one block on a multiprocessor. */
#define COMBGPU_NO3_SOLO_BYTES(wide)                                                               \
    ((wide) ? (36 * 3495u + 289 * 290 + 15) / 16 * 16 : 32 * 2723u + 2 * 256 * 256)
#define NO3_SOLO_SHARED(name, lanes, wide)                                                         \
    static __global__ void __launch_bounds__(lanes, 1) name(SLICE_ARGUMENTS)                       \
    {                                                                                              \
        extern __shared__ uint4 combgpu_no3_solo_table[];                                          \
        const uint4 *from = (const uint4 *)(tables + tables[NO3_AT_SOLO]);                         \
        u32 i;                                                                                     \
        for (i = LANE_ID; i < COMBGPU_NO3_SOLO_BYTES(wide) / 16; i += BLOCK_LANES)                 \
            combgpu_no3_solo_table[i] = from[i];                                                   \
        BLOCK_BARRIER();                                                                           \
        combgpu_no3_solo(slice, tables, tasks, left, records, work,                                \
                         (const u32 *)combgpu_no3_solo_table, wide);                               \
    }
NO3_SOLO_SHARED(combgpu_no3_search_solo_shared, 512, 0)
NO3_SOLO_SHARED(combgpu_no3_search_solo17_shared, 384, 1)
#endif

/* Larger boards on which every orbit is a cell of a matrix of up to 32 x 32, a row in a word, column 0
   in the top bit. Four lanes have `share` rows each; the count of lines is found as above. The full
   search from n = 18 on: a line is a row or a column. `fold`, rot4 and odd near_rot4 with more than 20
   columns: line i is row i and column i together; on an odd side cells on the diagonal count once, and row 0 twice. Rows that
   a step removes have the numbers that they have for other kernels. */
#define NO3_MATRIX_SPOTS 1024 /* offset in these tables: of orbits, 2 words each */

DEVICE void combgpu_no3_matrix_load(u32 *words, GLOBAL const u32 *from, const u32 lane,
                                    const u32 share)
{
    combgpu_no3_load(words, from + 4 * lane, 4);
    if (share == 5) words[4] = from[16 + lane];
    if (share == 6) {
        uint2 pair = *(GLOBAL const uint2 *)(from + 16 + 2 * lane);
        words[4] = pair.x;
        words[5] = pair.y;
    }
}

DEVICE void combgpu_no3_matrix_gone(u32 *gone, GLOBAL const u32 *from, const u32 lane,
                                    const u32 share)
{
    u32 row[NO3_MOST], i;
    combgpu_no3_matrix_load(row, from, lane, share);
    NO3_UNROLL
    for (i = 0; i < share; i++)
        gone[i] |= row[i];
}

/* Which of the lines are dead, forced, of the next classes in order: those that have 1 * s + 2 * t +
   4 * f or, with e, 8 or more, and need two points, one (`one`) or none (`two`). */
DEVICE void combgpu_no3_matrix_lines(u32 *kind, u32 s, u32 t, u32 f, u32 e, u32 one, u32 two,
                                     const u32 steep)
{
    u32 few = ~(two | f | e), rest = ~(two | one), single = one & ~two;
    kind[0] = few & ~t & ~(s & one);
    kind[1] = few & (s ^ t) & ~(s ^ one);
    kind[2] = few & t & (s ^ one);
    kind[3] = rest & f & ~(e | t | s);
    kind[4] = rest & f & s & ~(e | t);
    if (steep) {
        kind[3] |= single & s & t & ~(f | e);
        kind[5] = (rest & f & t & ~(s | e)) | (single & f & ~(s | t | e));
        kind[6] = (rest & (e | (f & t & s))) | (single & f & s & ~(t | e));
        kind[7] = single & (e | (f & t));
    } else {
        kind[5] = rest & (e | (f & t));
        kind[6] = single & (e | f | (s & t));
        kind[7] = 0;
    }
}

DEVICE void combgpu_no3_matrix(GROUP_PARAMETER, SLICE_ARGUMENTS, const u32 share, const u32 fold)
{
    const u32 lane = GROUP_LANE, all = 4 * share, level_words = all + 8, kept = (share + 1) / 2 * 2;
    const u32 odd = fold && (tables[NO3_AT_SIDE] & 1), stride = tables[NO3_AT_STRIDE];
    const u32 board_words = tables[NO3_AT_WORDS], orbits = tables[NO3_AT_ORBITS];
    const u32 lines = fold ? board_words / 2 : board_words, part = lines / 8;
    const u32 list_words = board_words < 64 ? board_words : 64;
    const u32 task_words = board_words + 8 + list_words, line_rows = tables[NO3_AT_LINE_ROWS];
    GLOBAL const u32 *cells = tables + tables[NO3_AT_GRID], *spots = cells + NO3_MATRIX_SPOTS;
    GLOBAL const u32 *pairs = tables + tables[NO3_AT_PAIRS];
    GLOBAL const u16 *short_pairs = (GLOBAL const u16 *)(spots + 2 * orbits);
    GLOBAL const u32 *rows = tables + tables[NO3_AT_MATRIX];
    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * level_words;
    u32 words[NO3_MOST], list[NO3_MOST], gone[NO3_MOST], kind[8], kind_c[8];
    u32 one = 0, two = 0, one_c = 0, two_c = 0; /* as above; of columns unless `fold` */
    u32 count = 0, levels = 0, steps = 0, turns = slice->budget, i, j, k, at;
    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: this is a board; 2: it cannot go on in this slice */

    if (slice->workers == 0) { /* as above */
        cells = pairs = rows = work;
        short_pairs = (GLOBAL const u16 *)work;
    }
    NO3_UNROLL
    for (i = 0; i < NO3_MOST; i++)
        words[i] = list[i] = 0;

    for (;;) {
        u32 s, t, f, e, cs, ct, cf, ce, c, c2, acc, lr, lc, is_row, v, x, y, go, solved, dead, forced;
        u32 place, orbit, limit, bit, weight;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= level_words;
            levels--;
            combgpu_no3_matrix_load(words, top, lane, share);
            one = top[all];
            two = top[all + 1];
            one_c = top[all + 2];
            two_c = top[all + 3];
            count = top[all + 4];
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            at = GROUP_TAKE(slice, busy && !have && turns);
            if (busy && !have) busy = have = at != NONE;
            if (at != NONE) {
                GLOBAL const u32 *from = tasks + (u64)at * task_words;
                one = two = one_c = two_c = 0;
                for (i = 0; i < lines; i++) {
                    u32 need = from[board_words + i / part] >> 2 * (i % part) & 3;
                    bit = 0x80000000u >> (fold ? i & 31 : i >> 1);
                    if (!fold && i & 1) {
                        one_c |= need < 2 ? bit : 0;
                        two_c |= need < 1 ? bit : 0;
                    } else {
                        one |= need < 2 ? bit : 0;
                        two |= need < 1 ? bit : 0;
                    }
                }
                one |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                two |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                one_c |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                two_c |= fold || lines == 64 ? 0 : 0xffffffffu >> lines / 2;
                if (fold && lines < 32) {
                    one |= 0xffffffffu >> lines;
                    two |= 0xffffffffu >> lines;
                }
                count = from[board_words] >> 24;
                NO3_UNROLL
                for (i = 0; i < share; i++)
                    words[i] = 0;
                for (i = 0; i < orbits; i++) {
                    u32 spot = spots[2 * i], place2 = spots[2 * i + 1];
                    bit = from[place2 & 255] >> (place2 >> 8 & 31) & 1;
                    NO3_UNROLL
                    for (j = 0; j < share; j++)
                        words[j] |= (spot & 31) == lane * share + j ? bit << (31 - (spot >> 5)) : 0;
                }
                NO3_UNROLL
                for (i = 0; i < kept; i++)
                    list[i] = from[board_words + 8 + 4 * i + lane];
            }
        }
        go = have == 1 && turns;
        if (!CREW_ANY(go)) break;
        turns--;

        /* what rows have: a byte for each bit of the count, row 0 of the lane in its top bit */
        acc = 0;
        NO3_UNROLL
        for (j = 0; j < share; j++) {
            k = POPCOUNT(words[j]);
            if (fold && j == 0) k <<= odd && lane == 0;
            acc = 2 * acc + (min(k, 15u) * 0x00204081u & 0x01010101u);
        }
        acc <<= 8 - share;
        s = t = f = e = 0;
        NO3_UNROLL
        for (j = 0; j < 4; j++) {
            k = GROUP_FROM(acc, j);
            s |= (k & 255) << 24 >> share * j;
            t |= (k >> 8 & 255) << 24 >> share * j;
            f |= (k >> 16 & 255) << 24 >> share * j;
            e |= k >> 24 << 24 >> share * j;
        }
        /* what columns have */
        cs = ct = cf = ce = 0;
        NO3_UNROLL
        for (j = 0; j < share; j++) {
            k = words[j];
            if (fold) k &= ~(odd ? 0x80000000u >> (lane * share + j) : 0);
            c = cs & k;
            cs ^= k;
            c2 = ct & c;
            ct ^= c;
            ce |= cf & c2;
            cf ^= c2;
        }
        NO3_UNROLL
        for (j = 1; j < 4; j *= 2) {
            u32 os = GROUP_FROM(cs, lane ^ j), ot = GROUP_FROM(ct, lane ^ j);
            u32 of = GROUP_FROM(cf, lane ^ j), oe = GROUP_FROM(ce, lane ^ j);
            c = cs & os;
            cs ^= os;
            c2 = NO3_MAJORITY(ct, ot, c);
            ct ^= ot ^ c;
            ce |= oe | NO3_MAJORITY(cf, of, c2);
            cf ^= of ^ c2;
        }
        if (fold) {
            c = s & cs;
            s ^= cs;
            c2 = NO3_MAJORITY(t, ct, c);
            t ^= ct ^ c;
            e |= ce | NO3_MAJORITY(f, cf, c2);
            f ^= cf ^ c2;
        }

        /* the line to look at */
        combgpu_no3_matrix_lines(kind, s, t, f, e, one, two, fold);
        NO3_UNROLL
        for (j = 0; j < 8; j++)
            kind_c[j] = 0;
        if (!fold) combgpu_no3_matrix_lines(kind_c, cs, ct, cf, ce, one_c, two_c, fold);
        dead = kind[0] | kind_c[0];
        lr = lc = 0;
        NO3_UNROLL
        for (j = 7; j > 0; j--)
            if (kind[j] | kind_c[j]) {
                lr = kind[j];
                lc = kind_c[j];
            }
        forced = kind[1] | kind_c[1];
        i = CLZ(lr | lc) & 31;
        is_row = lr << i >> 31;
        solved = two == NONE && (fold || two_c == NONE);

        NO3_IF_ANY(go && solved)
        {
            at = GROUP_EMIT(slice, go && solved);
            if (at != NONE) {
                GLOBAL u32 *to = records + (u64)at * (1 + list_words);
                if (lane == 0) to[0] = count;
                NO3_UNROLL
                for (j = 0; j < kept; j++)
                    to[1 + 4 * j + lane] = list[j];
                have = go = 0;
                steps++;
            } else if (go && solved) {
                have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && dead) have = go = 0;

        /* its first open cell: of row i; of column i */
        v = k = 0;
        NO3_UNROLL
        for (j = 0; j < share; j++) {
            v |= lane * share + j == i ? words[j] : 0;
            k |= (words[j] << i & 0x80000000u) >> j;
        }
        k >>= lane * share;
        if (!fold && !is_row) v = k;
        v |= GROUP_FROM(v, lane ^ 1);
        v |= GROUP_FROM(v, lane ^ 2);
        x = CLZ(v);
        y = i;
        if (fold) { /* the nearer to the centre of both; the row's if they are alike */
            k |= GROUP_FROM(k, lane ^ 1);
            k |= GROUP_FROM(k, lane ^ 2);
            if (CLZ(k) < x) {
                x = i;
                y = CLZ(k);
            }
        } else if (!is_row) {
            y = x;
            x = i;
        }
        x &= 31;
        y &= 31;

        place = cells[y * 32 + x];
        orbit = place & 4095;
        bit = 0x80000000u >> x;
        NO3_UNROLL
        for (j = 0; j < share; j++)
            gone[j] = 0;
        limit = 0;
        if (go) {
            u32 bit_y = 0x80000000u >> y, line, need;
            NO3_UNROLL
            for (j = 0; j < share; j++)
                words[j] &= ~(lane * share + j == y ? bit : 0);
            if (!forced) { /* the board without it waits */
                combgpu_no3_store(top + 4 * lane, words, 4);
                if (share == 5) top[16 + lane] = words[4];
                if (share == 6) {
                    top[16 + 2 * lane] = words[4];
                    top[17 + 2 * lane] = words[5];
                }
                top[all + lane] = lane == 0 ? one : lane == 1 ? two : lane == 2 ? one_c : two_c;
                if (lane == 0) top[all + 4] = count;
                top += level_words;
                levels++;
            }
            weight = place >> 12 & 3;
            two |= weight == 2 ? bit_y : one & bit_y;
            one |= bit_y;
            weight = place >> 14 & 3;
            if (fold) {
                if (weight) {
                    two |= weight == 2 ? bit : one & bit;
                    one |= bit;
                }
            } else {
                two_c |= one_c & bit;
                one_c |= bit;
            }
            /* what its lines no longer take */
            line = fold ? y : 2 * y;
            need = two & bit_y ? 0 : 1;
            if (fold || need == 0)
                combgpu_no3_matrix_gone(gone, rows + (line_rows + 3 * line + need) * all, lane,
                                        share);
            line = fold ? x : 2 * x + 1;
            need = (fold ? two : two_c) & bit ? 0 : 1;
            if ((fold && weight) || (!fold && need == 0))
                combgpu_no3_matrix_gone(gone, rows + (line_rows + 3 * line + need) * all, lane,
                                        share);
            at = 0xffffu << (count & 8 ? 16 : 0);
            NO3_UNROLL
            for (j = 0; j < kept; j++) {
                u32 here = 4 * j + lane == NO3_SLOT(count) ? at : 0;
                list[j] = (list[j] & ~here) | ((orbit << 16 | orbit) & here);
            }
            limit = ++count;
        }

        /* what is in line with it and an orbit placed before */
        NO3_UNROLL
        NO3_EACH_ROUND(k, 4 * k < limit, 2 * kept)
        {
            u32 number = 0;
            if (4 * k + lane < limit) {
                u32 both = list[NO3_SLOT(4 * k) / 4];
                at = orbit * stride + (4 * k & 8 ? both >> 16 : both & 0xffff);
                number = fold ? pairs[at] : short_pairs[at];
            }
            NO3_UNROLL
            for (j = 0; j < 4; j++) {
                at = GROUP_FROM(number, j);
                if (at) combgpu_no3_matrix_gone(gone, rows + at * all, lane, share);
            }
        }
        if (go) {
            NO3_UNROLL
            for (j = 0; j < share; j++)
                words[j] &= ~gone[j];
        }
    }

    /* give back the board and the stack: their lists begin alike */
    have = have != 0;
    while (CREW_ANY(have || levels)) {
        GLOBAL u32 *to = left;
        at = GROUP_GIVE(slice, have || levels);
        if (at != NONE) {
            to = left + (u64)at * task_words;
            if (have)
                have = 0;
            else {
                top -= level_words;
                levels--;
                combgpu_no3_matrix_load(words, top, lane, share);
                one = top[all];
                two = top[all + 1];
                one_c = top[all + 2];
                two_c = top[all + 3];
                count = top[all + 4];
            }
            for (i = lane; i < task_words; i += 4)
                to[i] = 0;
        }
        CREW_BARRIER();
        if (at != NONE) {
            for (i = 0; i < orbits; i++) {
                u32 spot = spots[2 * i], both = spots[2 * i + 1], open = 0;
                NO3_UNROLL
                for (j = 0; j < share; j++)
                    open |= (spot & 31) == lane * share + j ? words[j] << (spot >> 5) >> 31 : 0;
                if (open) {
                    ATOMIC_OR(&to[both & 255], 1u << (both >> 8 & 31));
                    ATOMIC_OR(&to[both >> 16 & 255], 1u << (both >> 24));
                }
            }
            for (i = lane; i < 8; i += 4) {
                u32 needs = count << 24;
                for (k = 0; k < part; k++) {
                    u32 line = i * part + k, shift = fold ? line & 31 : line >> 1;
                    u32 of_one = !fold && line & 1 ? one_c : one;
                    u32 of_two = !fold && line & 1 ? two_c : two;
                    needs |= (2 - (of_one << shift >> 31) - (of_two << shift >> 31)) << 2 * k;
                }
                to[board_words + i] = needs;
            }
            NO3_UNROLL
            for (j = 0; j < kept; j++)
                to[board_words + 8 + 4 * j + lane] = list[j];
        }
    }
    if (lane == 0) combgpu_add_total(slice, 0, steps);
}

#define NO3_MATRIX_KERNEL(name, share, fold)                                                       \
    KERNEL name(SLICE_ARGUMENTS)                                                                   \
    {                                                                                              \
        GROUP_BEGIN(4);                                                                            \
        combgpu_no3_matrix(GROUP, slice, tables, tasks, left, records, work, share, fold);         \
    }
NO3_MATRIX_KERNEL(combgpu_no3_search_20, 5, 0)
NO3_MATRIX_KERNEL(combgpu_no3_search_24, 6, 0)
NO3_MATRIX_KERNEL(combgpu_no3_search_24f, 6, 1)

