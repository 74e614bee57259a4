/* The classes rot4, odd near_rot4, rot2 and ort1 where their boards fit into 16 words: four lanes
   have four of them each. A cell of a matrix is an orbit; what a pair of orbits removes is a row of
   64 bytes, which the lanes read in one piece, and there is no table of numbers: cell p with cell q
   is row p * cells + q. The bytes that come from the L2 cache and the lines of the L1 cache decide.

     FOLD, FOLD_ODD  lane l has rows 5l to 5l + 4 of up to 20 columns: four of them in the top bits of
                     a word each, the fifth in the low bits of words 0 (columns 0 to 11) and 1. Line
                     i is row i and column i. Odd side: lines and columns count from 1; line 0, the
                     axis, is in the low bits of lane 0's words 2 and 3, and its cells weigh 2;
                     cells on the diagonal count once
     HALF            rot2: a word is a row, and columns 2k and 2k + 1 are one line; odd side: column 0
                     is empty, cells on row 0 weigh 2 for their row, those of column 1 for their column.
                     Line 2k is row k, line 2k + 1 columns k
     HALF_ORT1       a word is a pair of columns of the grid and needs two orbits; a bit in all words
                     is a row of the grid and needs one */
#define NO3_FOLD 0
#define NO3_FOLD_ODD 1
#define NO3_HALF 2
#define NO3_HALF_ORT1 3
#define NO3_SQUARE_LEVEL 20  /* words of a stack level: the board, `one`, `two`, `two_y`, count */
#define NO3_SQUARE_LISTED 32 /* most orbits on a board */
#define NO3_SQUARE_CELLS 544 /* offsets in these tables: spots, by orbit, 2 words each; before them the
                                orbits of cells */
#define NO3_SQUARE_LINES 1632 /* what goes from a line that needs one, none: rows */
#ifdef COMBGPU_SHUFFLE
#define NO3_SQUARE_BOARDS 32
#else
#define NO3_SQUARE_BOARDS 1
#endif

/* The lane's part of a row, or nothing. */
DEVICE uint4 combgpu_no3_square_row(GLOBAL const u32 *from, const u32 is)
{
    uint4 row;
    row.x = row.y = row.z = row.w = 0;
    if (is) row = *(GLOBAL const uint4 *)from;
    return row;
}

DEVICE void combgpu_no3_square(GROUP_PARAMETER, SLICE_ARGUMENTS, LOCAL u32 *list, const u32 form)
{
    const u32 lane = GROUP_LANE, fold = form <= NO3_FOLD_ODD;
    const u32 side = tables[NO3_AT_SIDE], odd = form == NO3_FOLD_ODD ? 1 : side & 1;
    const u32 stride = fold ? side / 2 : form == NO3_HALF ? side + odd : side;
    const u32 cells = stride * (form == NO3_HALF_ORT1 ? side / 2 : (side + odd) / 2);
    const u32 board_words = tables[NO3_AT_WORDS], orbits = tables[NO3_AT_ORBITS];
    const u32 lines = board_words >> tables[NO3_AT_WIDE], part = lines / 8;
    const u32 task_words = 2 * board_words + 8;
    const u32 twice_lines = form == NO3_FOLD_ODD           ? 0x80000000u
                            : form == NO3_HALF && side & 1 ? 0xc0000000u
                                                           : 0;
    GLOBAL const u32 *orbit_of = tables + tables[NO3_AT_GRID];
    GLOBAL const u32 *spots = orbit_of + NO3_SQUARE_CELLS;
    GLOBAL const u32 *line_rows = orbit_of + NO3_SQUARE_LINES + 4 * lane;
    GLOBAL const u32 *rows = tables + tables[NO3_AT_MATRIX] + 4 * lane;
    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * NO3_SQUARE_LEVEL + 4 * lane;
    u32 words[4], gone[4], row[4], kind[8], kind_y[8];
    u32 one = NONE, two = NONE, two_y = NONE; /* lines with a point; with two; HALF_ORT1: rows */
    u32 count = 0, levels = 0, steps = 0, turns = slice->budget, i, j, k, at;
    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: this is a board; 2: it cannot go on in this slice */

    if (slice->workers == 0) line_rows = rows = work; /* as above */
    NO3_UNROLL
    for (i = 0; i < 4; i++)
        words[i] = 0;
    for (i = 0; i < NO3_SQUARE_LISTED / 4; i++)
        list[4 * NO3_SQUARE_BOARDS * i + lane] = 0;

    for (;;) {
        u32 s, t, f, e, c, c2, c3, v, x, y, bit, go, solved, dead, forced, cell, limit, of_y, touched;
        u32 full, best, best_y, fifth, axis;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= NO3_SQUARE_LEVEL;
            levels--;
            combgpu_no3_load(words, top, 4);
            combgpu_no3_load(row, top + 16 - 4 * lane, 4);
            one = row[0];
            two = row[1];
            two_y = row[2];
            count = row[3];
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            at = GROUP_TAKE(slice, busy && !have && turns);
            if (busy && !have) busy = have = at != NONE;
            if (at != NONE) {
                GLOBAL const u32 *from = tasks + (u64)at * task_words;
                one = two = two_y = NONE;
                for (i = 0; i < lines; i++) {
                    u32 need = from[board_words + i / part] >> 2 * (i % part) & 3;
                    bit = 0x80000000u >> (form != NO3_HALF_ORT1 ? i & 31 : i / 3 * 2 + i % 3 / 2);
                    if (form != NO3_HALF_ORT1 && i > 31) bit = 0;
                    if (form == NO3_HALF_ORT1 && i % 3 != 1) {
                        if (need) two_y &= ~bit;
                        continue;
                    }
                    if (need == 2) one &= ~bit;
                    if (need) two &= ~bit;
                }
                count = from[board_words] >> 24;
                NO3_UNROLL
                for (j = 0; j < 4; j++)
                    words[j] = 0;
                for (i = 0; i < orbits; i++) {
                    u32 spot = spots[2 * i], place = spots[2 * i + 1];
                    bit = from[place & 255] >> (place >> 8 & 31) & 1;
                    NO3_UNROLL
                    for (j = 0; j < 4; j++)
                        words[j] |= (spot & 15) == 4 * lane + j ? bit << (spot >> 4 & 31) : 0;
                }
                for (i = lane; i < count; i += 4) {
                    k = from[board_words + 8 + NO3_SLOT(i)] >> (i & 8 ? 16 : 0) & 0xffff;
                    list[NO3_SQUARE_BOARDS * (i & ~3u) + lane] = spots[2 * k] >> 16;
                }
            }
        }
        go = have == 1 && turns;
        if (!CREW_ANY(go)) break;
        turns--;

        /* how many open cells lines have, 1 * s + 2 * t + 4 * f, and e if 8 or more: first of rows
           and columns of this lane, then the sum over lanes, bit by bit */
        fifth = words[0] << 20 | (words[1] << 8 & 0x000ff000);
        axis = form == NO3_FOLD_ODD ? words[2] << 20 | (words[3] << 8 & 0x000ff000) : 0;
        bit = fold ? 0xfffff000u : NONE;
        c = 0;
        NO3_UNROLL
        for (j = 0; j < 4 + fold; j++) {
            k = POPCOUNT(j < 4 ? words[j & 3] & bit : fifth);
            if (form == NO3_HALF && j == 0) k <<= odd && lane == 0;
            if (fold)
                c = 2 * c + (min(k, 15u) * 0x00204081u & 0x01010101u);
            else
                c = 4 * c + (min(k, 15u) * 0x00408102u & 0x02020202u);
        }
        best = c;
        NO3_UNROLL
        for (j = 0; j < 4; j++)
            row[j] = form == NO3_FOLD_ODD ? words[j] & ~(0x80000000u >> (5 * lane + j)) : words[j];
        if (form == NO3_FOLD_ODD) fifth &= ~(0x80000000u >> (5 * lane + 4));
        s = row[0] ^ row[1] ^ row[2];
        c = NO3_MAJORITY(row[0], row[1], row[2]);
        if (fold) {
            c2 = NO3_MAJORITY(row[3], fifth, axis);
            k = row[3] ^ fifth ^ axis;
            c3 = s & k;
            s = (s ^ k) & 0xfffff000u;
            t = (c ^ c2 ^ c3) & 0xfffff000u;
            f = NO3_MAJORITY(c, c2, c3) & 0xfffff000u;
            e = 0;
            /* and its rows */
            k = (best & 31) << 27 >> 5 * lane;
            c = s & k;
            s ^= k;
            k = (best >> 8 & 31) << 27 >> 5 * lane;
            c2 = NO3_MAJORITY(t, k, c);
            t ^= k ^ c;
            k = (best >> 16 & 31) << 27 >> 5 * lane;
            e = NO3_MAJORITY(f, k, c2) | (best >> 24 & 31) << 27 >> 5 * lane;
            f ^= k ^ c2;
        } else {
            c2 = s & row[3];
            s ^= row[3];
            t = c ^ c2;
            f = c & c2;
            e = f;
        }
        if (form == NO3_HALF) {
            bit = odd ? 0x80000000u : 0;
            s |= s << 1 & bit;
            t |= t << 1 & bit;
            f |= f << 1 & bit;
            c = s & s >> 1;
            k = s ^ s >> 1;
            s = (k & 0x55555555u) | (best & 255) << 24 >> 8 * lane;
            c2 = NO3_MAJORITY(t, t >> 1, c);
            k = t ^ t >> 1 ^ c;
            t = (k & 0x55555555u) | (best >> 8 & 255) << 24 >> 8 * lane;
            e = NO3_MAJORITY(f, f >> 1, c2);
            k = f ^ f >> 1 ^ c2;
            f = (k & 0x55555555u) | (best >> 16 & 255) << 24 >> 8 * lane;
            e = (e & 0x55555555u) | (best >> 24) << 24 >> 8 * lane;
        }
        NO3_UNROLL
        for (j = 1; j < 4; j *= 2) {
            u32 os = GROUP_FROM(s, lane ^ j), ot = GROUP_FROM(t, lane ^ j);
            u32 of = GROUP_FROM(f, lane ^ j);
            c = s & os;
            s ^= os;
            c2 = NO3_MAJORITY(t, ot, c);
            t ^= ot ^ c;
            if (form == NO3_HALF_ORT1) /* f: 4 or more */
                f |= of | c2;
            else {
                e |= GROUP_FROM(e, lane ^ j) | NO3_MAJORITY(f, of, c2);
                f ^= of ^ c2;
            }
        }
        if (form == NO3_FOLD_ODD) { /* the axis is lane 0's */
            s >>= 1;
            k = GROUP_FROM(POPCOUNT(axis), 0);
            t = t >> 1 | k << 31;
            f = f >> 1 | (k & 2) << 30;
            e = e >> 1 | (k > 3 ? 0x80000000u : 0);
        }

        /* the line to look at */
        of_y = 0;
        if (form == NO3_HALF_ORT1) {
            c = ~two_y & ~f;
            kind_y[0] = c & ~s & ~t;
            kind_y[1] = c & s & ~t;
            kind_y[3] = c & t & ~s;
            kind_y[5] = c & t & s;
            kind_y[6] = ~two_y & f;
            kind_y[2] = kind_y[4] = kind_y[7] = 0;
            s = t = f = e = 0;
            NO3_UNROLL
            for (j = 0; j < 4; j++) {
                k = GROUP_FROM(best, j);
                s |= (k & 255) << (24 - 8 * j);
                t |= (k >> 8 & 255) << (24 - 8 * j);
                f |= (k >> 16 & 255) << (24 - 8 * j);
                e |= k >> 24 << (24 - 8 * j);
            }
        } else {
            NO3_UNROLL
            for (j = 0; j < 8; j++)
                kind_y[j] = 0;
        }
        combgpu_no3_matrix_lines(kind, s, t, f, e, one, two, form != NO3_HALF);
        dead = kind[0] | kind_y[0];
        forced = kind[1] | kind_y[1];
        best = kind[7];
        best_y = 0;
        NO3_UNROLL
        for (j = 6; j > 0; j--)
            if (kind[j] | kind_y[j]) {
                best = kind[j];
                best_y = kind_y[j];
            }
        i = CLZ(best | best_y) & 31;
        of_y = best_y << i >> 31;
        solved = two == NONE && (form != NO3_HALF_ORT1 || two_y == NONE);

        NO3_IF_ANY(go && solved)
        {
            at = GROUP_EMIT(slice, go && solved);
            if (at != NONE) {
                GLOBAL u32 *to = records + (u64)at * (1 + board_words);
                if (lane == 0) to[0] = count;
                for (i = lane; i < board_words; i += 4) {
                    u32 first = 16 * (i >> 3) + (i & 7), pair = 0;
                    if (first < count)
                        pair = orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]];
                    first += 8;
                    if (first < count)
                        pair |= orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]]
                                << 16;
                    to[1 + i] = pair;
                }
                have = go = 0;
                i = 0;
                steps++;
            } else if (go && solved) {
                have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && dead) have = go = 0;

        /* its first open cell */
        if (fold) {
            u32 slot = i - (form == NO3_FOLD_ODD), from = slot * 13 >> 6 & 3, in = slot - 5 * from;
            if (form == NO3_FOLD_ODD && i == 0) from = in = 0;
            fifth = words[0] << 20 | (words[1] << 8 & 0x000ff000);
            v = in & 1 ? (in & 2 ? words[3] : words[1]) : (in & 2 ? words[2] : words[0]);
            v &= 0xfffff000u;
            if (in == 4) v = fifth;
            if (form == NO3_FOLD_ODD && i == 0) v = axis;
            v = GROUP_FROM(v, from);
            bit = 0x80000000u >> slot;
            if (form == NO3_FOLD_ODD && i == 0) bit = 0;
            k = (words[0] & bit) | (words[1] & bit) >> 1 | (words[2] & bit) >> 2 |
                (words[3] & bit) >> 3 | (fifth & bit) >> 4;
            k = k << (slot & 31) >> 5 * lane;
            if (form == NO3_FOLD_ODD) {
                v >>= 1;
                k = k >> 1 | (axis & bit) << (slot & 31);
            }
            k |= GROUP_FROM(k, lane ^ 1);
            k |= GROUP_FROM(k, lane ^ 2);
            x = CLZ(v); /* the nearer to the centre of both; the row's if they are alike */
            y = CLZ(k);
            if (y < x)
                x = i;
            else
                y = i;
        } else {
            u32 line = i >> 1, in_row = form == NO3_HALF ? !(i & 1) : !of_y;
            bit = form == NO3_HALF ? 0xc0000000u : 0x80000000u;
            j = form == NO3_HALF ? i & 30 : i;
            v = (words[0] << j & bit) | (words[1] << j & bit) >> (form == NO3_HALF ? 2 : 1) |
                (words[2] << j & bit) >> (form == NO3_HALF ? 4 : 2) |
                (words[3] << j & bit) >> (form == NO3_HALF ? 6 : 3);
            v >>= (form == NO3_HALF ? 8 : 4) * lane;
            k = line & 1 ? (line & 2 ? words[3] : words[1]) : (line & 2 ? words[2] : words[0]);
            if (lane != line >> 2) k = 0;
            if (in_row) v = k;
            v |= GROUP_FROM(v, lane ^ 1);
            v |= GROUP_FROM(v, lane ^ 2);
            x = CLZ(v);
            y = line;
            if (!in_row && form == NO3_HALF) {
                y = x >> 1;
                x = j | (x & 1);
            } else if (!in_row) {
                y = x;
                x = i;
            }
        }
        x &= 31;
        y &= 31;
        cell = go ? y * stride + x - (form == NO3_FOLD_ODD) : 0;

        NO3_UNROLL
        for (j = 0; j < 4; j++)
            gone[j] = 0;
        limit = 0;
        if (go) {
            /* the word and bit of it in this lane */
            if (fold) {
                u32 xs = x - (form == NO3_FOLD_ODD), ys = y - (form == NO3_FOLD_ODD);
                u32 from = ys * 13 >> 6, in = ys - 5 * from;
                bit = 0x80000000u >> xs;
                if (form == NO3_FOLD_ODD && y == 0) from = 0;
                if (in == 4 || (form == NO3_FOLD_ODD && y == 0)) {
                    in = xs < 12 ? 0 : 1;
                    bit = xs < 12 ? bit >> 20 : bit >> 8;
                    if (form == NO3_FOLD_ODD && y == 0) in += 2;
                }
                i = from;
                k = in;
            } else {
                bit = 0x80000000u >> x;
                i = y >> 2;
                k = y & 3;
            }
            if (lane != i) bit = 0;
            NO3_UNROLL
            for (j = 0; j < 4; j++)
                words[j] &= ~(j == k ? bit : 0);
            if (!forced) { /* the board without it waits */
                combgpu_no3_store(top, words, 4);
                top[16 - 3 * lane] = lane == 0 ? one : lane == 1 ? two : lane == 2 ? two_y : count;
                top += NO3_SQUARE_LEVEL;
                levels++;
            }
            /* what its lines no longer take */
            if (form == NO3_HALF_ORT1) {
                bit = 0x80000000u >> 2 * y;
                full = one & bit;
                one |= bit;
                two |= full;
                two_y |= 0x80000000u >> x;
                combgpu_no3_gone(gone, line_rows + 16 * (64 + x), 4);
                if (full) combgpu_no3_gone(gone, line_rows + 16 * (1 + 4 * y), 4);
            } else {
                u32 first = form == NO3_HALF ? 2 * y : y, second = form == NO3_HALF ? x | 1 : x;
                touched = 0x80000000u >> first | 0x80000000u >> second;
                full = touched & (one | twice_lines);
                if (form == NO3_FOLD && x == y) full = touched;
                one |= touched;
                two |= full;
                i = full << first >> 31;
                j = full << second >> 31;
                if (form == NO3_FOLD || i)
                    combgpu_no3_gone(gone, line_rows + 16 * (2 * first + i), 4);
                if (form == NO3_FOLD || j)
                    combgpu_no3_gone(gone, line_rows + 16 * (2 * second + j), 4);
            }
            if (lane == 0) list[NO3_SQUARE_BOARDS * (count & ~3u) + (count & 3)] = cell;
            limit = ++count;
        }
        CREW_BARRIER();

        /* what is in line with it and an orbit placed before; with itself: what it excludes alone */
        {
            GLOBAL const u32 *of_cell = rows + cell * cells * 16;
            if (turns == NONE) of_cell = work; /* as above */
            for (k = 0; k < limit; k += 4) {
                const uint4 with = *(LOCAL const uint4 *)(list + NO3_SQUARE_BOARDS * k);
                const uint4 r0 = combgpu_no3_square_row(of_cell + 16 * (u64)with.x, 1);
                const uint4 r1 = combgpu_no3_square_row(of_cell + 16 * (u64)with.y, k + 1 < limit);
                const uint4 r2 = combgpu_no3_square_row(of_cell + 16 * (u64)with.z, k + 2 < limit);
                const uint4 r3 = combgpu_no3_square_row(of_cell + 16 * (u64)with.w, k + 3 < limit);
                gone[0] |= r0.x | r1.x | r2.x | r3.x;
                gone[1] |= r0.y | r1.y | r2.y | r3.y;
                gone[2] |= r0.z | r1.z | r2.z | r3.z;
                gone[3] |= r0.w | r1.w | r2.w | r3.w;
            }
        }
        CREW_BARRIER();
        if (go) {
            NO3_UNROLL
            for (j = 0; j < 4; j++)
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
                top -= NO3_SQUARE_LEVEL;
                levels--;
                combgpu_no3_load(words, top, 4);
                combgpu_no3_load(row, top + 16 - 4 * lane, 4);
                one = row[0];
                two = row[1];
                two_y = row[2];
                count = row[3];
            }
            for (i = lane; i < board_words; i += 4)
                to[i] = 0;
        }
        CREW_BARRIER();
        if (at != NONE) {
            for (i = 0; i < orbits; i++) {
                u32 spot = spots[2 * i], both = spots[2 * i + 1], open = 0;
                NO3_UNROLL
                for (j = 0; j < 4; j++)
                    open |= (spot & 15) == 4 * lane + j ? words[j] >> (spot >> 4 & 31) & 1 : 0;
                if (open) {
                    ATOMIC_OR(&to[both & 255], 1u << (both >> 8 & 31));
                    ATOMIC_OR(&to[both >> 16 & 255], 1u << (both >> 24));
                }
            }
            for (i = lane; i < 8; i += 4) {
                u32 needs = count << 24;
                for (k = 0; k < part; k++) {
                    u32 line = i * part + k, of_one = one, of_two = two;
                    u32 shift = form != NO3_HALF_ORT1 ? line : line / 3 * 2 + line % 3 / 2;
                    if (form == NO3_HALF_ORT1 && line % 3 != 1) of_one = of_two = two_y;
                    if (shift < 32)
                        needs |= (2 - (of_one << shift >> 31) - (of_two << shift >> 31)) << 2 * k;
                }
                to[board_words + i] = needs;
            }
            for (i = lane; i < board_words; i += 4) {
                u32 first = 16 * (i >> 3) + (i & 7), pair = 0;
                if (first < count)
                    pair = orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]];
                first += 8;
                if (first < count)
                    pair |= orbit_of[list[NO3_SQUARE_BOARDS * (first & ~3u) + (first & 3)]] << 16;
                to[board_words + 8 + i] = pair;
            }
        }
    }
    if (lane == 0) combgpu_add_total(slice, 0, steps);
}

#define NO3_SQUARE_KERNEL(kind, name, form)                                                        \
    kind name(SLICE_ARGUMENTS)                                                                     \
    {                                                                                              \
        GROUP_BEGIN(4);                                                                            \
        LOCAL_ARRAY uint4 list[NO3_SQUARE_BOARDS * NO3_SQUARE_LISTED / 4];                         \
        combgpu_no3_square(GROUP, slice, tables, tasks, left, records, work,                       \
                           (LOCAL u32 *)(list + (NO3_SQUARE_BOARDS > 1 ? LANE_ID / 4 : 0)), form); \
    }
NO3_SQUARE_KERNEL(KERNEL, combgpu_no3_search_fold, NO3_FOLD)
NO3_SQUARE_KERNEL(KERNEL_BLOCKS(128, 10), combgpu_no3_search_fold_odd, NO3_FOLD_ODD)
NO3_SQUARE_KERNEL(KERNEL, combgpu_no3_search_half, NO3_HALF)
NO3_SQUARE_KERNEL(KERNEL, combgpu_no3_search_half_ort1, NO3_HALF_ORT1)

/* A kernel for each format: words of a board, w if a line has two; lanes, words in each, wide. */
#define NO3_KERNEL(name, lanes, share, wide)                                                       \
    KERNEL name(SLICE_ARGUMENTS)                                                                   \
    {                                                                                              \
        GROUP_BEGIN(lanes);                                                                        \
        combgpu_no3(GROUP, slice, tables, tasks, left, records, work, lanes, share, wide);         \
    }
NO3_KERNEL(combgpu_no3_search_16, 4, 4, 0)
NO3_KERNEL(combgpu_no3_search_32, 4, 8, 0)
NO3_KERNEL(combgpu_no3_search_48, 4, 12, 0)
NO3_KERNEL(combgpu_no3_search_48w, 4, 12, 1)
NO3_KERNEL(combgpu_no3_search_64, 8, 8, 0)
NO3_KERNEL(combgpu_no3_search_64w, 8, 8, 1)
NO3_KERNEL(combgpu_no3_search_128w, 16, 8, 1)
NO3_KERNEL(combgpu_no3_search_192w, 16, 12, 1)
#undef NO3_AT_STRIDE
#undef NO3_AT_PARTS
#undef NO3_AT_WEIGHTED
#undef NO3_AT_LEVELS
#undef NO3_AT_TWO
#undef NO3_AT_ONE
#undef NO3_AT_LINE_ROWS
#undef NO3_AT_PLACES
#undef NO3_AT_TWICE
#undef NO3_AT_PAIRS
#undef NO3_AT_ROWS
#undef NO3_AT_SIDE
#undef NO3_AT_GRID
#undef NO3_AT_MATRIX
#undef NO3_AT_SOLO
#undef NO3_AT_SOLO_CORNER
#undef NO3_SOLO_LEVEL
#undef NO3_SOLO_LEVELS
#undef NO3_SOLO_ROWS
#undef NO3_SOLO_CORNER
#undef NO3_SOLO_ANY
#undef NO3_SOLO_KERNEL
#undef NO3_SOLO_SHARED
#undef NO3_AT_WIDE
#undef NO3_AT_WORDS
#undef NO3_AT_ORBITS
#undef NO3_MATRIX_SPOTS
#undef NO3_FOLD
#undef NO3_FOLD_ODD
#undef NO3_HALF
#undef NO3_HALF_ORT1
#undef NO3_SQUARE_LEVEL
#undef NO3_SQUARE_LISTED
#undef NO3_SQUARE_CELLS
#undef NO3_SQUARE_LINES
#undef NO3_SQUARE_BOARDS
#undef NO3_SQUARE_KERNEL
#undef NO3_MATRIX_KERNEL
#undef NO3_MAJORITY
#undef NO3_MOST
#undef NO3_SLOT
#undef NO3_ROUND
#undef NO3_KERNEL
#undef NO3_UNROLL
#undef NO3_IF_ANY
#undef NO3_NOW_AND_THEN
#undef NO3_EACH_ROUND

#endif /* NO3 */

