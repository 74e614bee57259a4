/* ---------------------------------------------------------------------------------- NO3 */
#if defined(COMBGPU_KERNELS_NO3) || defined(COMBGPU__HAS_NO3)

/* No-three-in-line (combgpu.h, SECTION 30: the model, the tables, tasks, records). First the search of
   a class: 4, 8 or 16 lanes share a board, each holds `share` of its words, and so some of its
   lines, which have a word each, or two if `wide`. The rows that a step removes from the board are
   read by these lanes together, in one piece. The search is a function of these three constants; the
   kernels below are its forms. The full search up to n = 16 has a kernel of its own. */

/* The header of the tables, twin of the enum in combgpu.h. */
#define NO3_AT_WORDS 0
#define NO3_AT_ORBITS 1
#define NO3_AT_STRIDE 2
#define NO3_AT_PARTS 4
#define NO3_AT_WEIGHTED 5
#define NO3_AT_LEVELS 6
#define NO3_AT_TWO 7
#define NO3_AT_ONE 8
#define NO3_AT_LINE_ROWS 9
#define NO3_AT_PLACES 10
#define NO3_AT_TWICE 11
#define NO3_AT_PAIRS 12
#define NO3_AT_ROWS 13
#define NO3_AT_SIDE 14
#define NO3_AT_GRID 15
#define NO3_AT_WIDE 16
#define NO3_AT_MATRIX 17
#define NO3_AT_SOLO 18
#define NO3_AT_SOLO_CORNER 19

#define NO3_MOST 12 /* words in a lane */
/* The list word of the orbit placed as number c; it is in the low half if bit 3 of c is 0. Word w is
   in lane w % lanes. In round k each lane looks at one of the orbits in its list; the first of all
   lanes' is number NO3_ROUND(k, lanes). */
#define NO3_SLOT(c) (8 * ((c) >> 4) + ((c)&7))
#define NO3_ROUND(k, lanes)                                                                        \
    ((lanes) <= 8 ? (lanes) * (k) : (lanes) * 2 * ((k) >> 1) + 8 * ((k)&1))

/* Where lanes have shuffles, a board's words live in registers if loops over them are unrolled, and
   what few boards need is skipped when none of the crew's does. Elsewhere (PoCL 3.1) both only cost
   compile time, exponentially: conditional barriers make it copy all that follows. */
#ifdef COMBGPU_SHUFFLE
#define NO3_UNROLL _Pragma("unroll")
#define NO3_IF_ANY(p) if (CREW_ANY(p))
#define NO3_NOW_AND_THEN(turns) if (((turns)&63) == 0)
#define NO3_EACH_ROUND(k, more, most)                                                              \
    for ((k) = 0; (k) < (most); (k)++)                                                             \
        if (!CREW_ANY(more))                                                                       \
            break;                                                                                 \
        else
#else
#define NO3_UNROLL _Pragma("nounroll")
#define NO3_IF_ANY(p)
#define NO3_NOW_AND_THEN(turns)
#define NO3_EACH_ROUND(k, more, most) for ((k) = 0; CREW_ANY(more); (k)++)
#endif

/* A lane's words of a board, 4 at a time. */
DEVICE void combgpu_no3_load(u32 *words, GLOBAL const u32 *from, const u32 share)
{
    u32 i;
    NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four = *(GLOBAL const uint4 *)(from + i);
        words[i] = four.x;
        words[i + 1] = four.y;
        words[i + 2] = four.z;
        words[i + 3] = four.w;
    }
}

DEVICE void combgpu_no3_store(GLOBAL u32 *to, const u32 *words, const u32 share)
{
    u32 i;
    NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four;
        four.x = words[i];
        four.y = words[i + 1];
        four.z = words[i + 2];
        four.w = words[i + 3];
        *(GLOBAL uint4 *)(to + i) = four;
    }
}

/* Adds to `gone` what a row removes from this lane's words; `from` is the lane's part of it. */
DEVICE void combgpu_no3_gone(u32 *gone, GLOBAL const u32 *from, const u32 share)
{
    u32 row[NO3_MOST], i;
    combgpu_no3_load(row, from, share);
    NO3_UNROLL
    for (i = 0; i < share; i++)
        gone[i] |= row[i];
}

/* The classes for a line by its two bits of `need`; 15 for one that needs nothing. */
DEVICE u32 combgpu_no3_classes(u32 need, u32 at, u32 two, u32 one)
{
    return need >> at & 2 ? two : need >> at & 1 ? one : NONE;
}

DEVICE void combgpu_no3(GROUP_PARAMETER, SLICE_ARGUMENTS, const u32 lanes, const u32 share,
                        const u32 wide)
{
    const u32 lane = GROUP_LANE, lines = share >> wide, own = lane * lines; /* first own line */
    const u32 all = lanes * share, level_words = all + 16;
    const u32 kept = all < 64 ? all / lanes : 64 / lanes; /* list words in a lane */
    const u32 task_words = all + 8 + lanes * kept;
    const u32 part_bits = lines * lanes / 4, need_bits = 2 * lines; /* of a task's word, a lane's */
    const u32 weighted = tables[NO3_AT_WEIGHTED], stride = tables[NO3_AT_STRIDE];
    const u32 two = tables[NO3_AT_TWO], one = tables[NO3_AT_ONE];
    const u32 line_rows = tables[NO3_AT_LINE_ROWS], parts = all < 128 ? 1 : tables[NO3_AT_PARTS];
    GLOBAL const u32 *places = tables + tables[NO3_AT_PLACES];
    GLOBAL const u32 *pairs = tables + tables[NO3_AT_PAIRS];
    GLOBAL const u32 *rows = tables + tables[NO3_AT_ROWS] + lane * share;
    /* never so, but the compiler shall take these addresses as they are: else it adds up, for each
       row it reads, what they are made of (a third of all instructions) */
    if (slice->workers == 0) places = pairs = rows = work;
    /* this lane's words of the stack's free level, and from there to its word of needs */
    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * level_words + lane * share;
    const u32 to_need = all + lane - lane * share;
    u32 words[NO3_MOST], twice[NO3_MOST], list[NO3_MOST], gone[NO3_MOST];
    u32 need = 0;  /* 2 bits for each own line */
    u32 count = 0; /* orbits placed: in the lanes' lists, 16 bits each, as NO3_SLOT says */
    u32 levels = 0, steps = 0, turns = slice->budget, i, k, at;
    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */
    u32 have = 0; /* 1: words, need, count and list are a board; 2: it cannot go on in this slice */

    combgpu_no3_load(twice, tables + tables[NO3_AT_TWICE] + lane * share, share);
    NO3_UNROLL
    for (i = 0; i < share; i++)
        words[i] = list[i] = 0;

    for (;;) {
        u32 best, go, line, other, place, orbit, need_line, need_other, limit;

        NO3_NOW_AND_THEN(turns)
        {
            u32 taken = slice->budget - turns;
            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;
        }

        /* the next board: from the stack, else a task */
        if (!have && levels) {
            top -= level_words;
            levels--;
            combgpu_no3_load(words, top, share);
            need = top[to_need];
            count = need >> 24;
            need &= 0xffffff;
            have = 1;
        }
        NO3_IF_ANY(busy && !have)
        {
            at = GROUP_TAKE(slice, busy && !have && turns);
            if (busy && !have) busy = have = at != NONE;
            if (at != NONE) {
                GLOBAL const u32 *from = tasks + (u64)at * task_words;
                combgpu_no3_load(words, from + lane * share, share);
                /* a task has the needs in 8 words, whatever the number of lanes */
                if (lanes == 4)
                    need = (from[all + 2 * lane] & 0xffffff) |
                           (from[all + 2 * lane + 1] & 0xffffff) << part_bits;
                else if (lanes == 8)
                    need = from[all + lane] & 0xffffff;
                else
                    need = from[all + lane / 2] >> need_bits * (lane & 1) & ((1u << need_bits) - 1);
                count = from[all] >> 24;
                NO3_UNROLL
                for (i = 0; i < kept; i++)
                    list[i] = from[all + 8 + lanes * i + lane];
            }
        }
        go = have == 1 && turns;
        if (!CREW_ANY(go)) break;
        turns--;

        /* the line to look at: the smallest key, class << 28 | line << 6 | rank of its first orbit,
           the highest bit; of a dead line, class 0, only the class is right */
        best = NONE;
        NO3_UNROLL
        for (i = 0; i < share; i += 1 + wide) {
            u32 there = POPCOUNT(words[i]), first = CLZ(words[i]), n = i >> wide;
            if (weighted) there += POPCOUNT(words[i] & twice[i]);
            if (wide) {
                there += POPCOUNT(words[i + 1]);
                if (weighted) there += POPCOUNT(words[i + 1] & twice[i + 1]);
                if (first == 32) first += CLZ(words[i + 1]);
            }
            best = min(best, (combgpu_no3_classes(need, 2 * n, two, one) >> 4 * min(there, 7u)
                                                                               << 28) +
                                 first + ((own + n) << 6));
        }
        best = GROUP_MIN(best);

        /* no line needs a point: a solution. Without room for it the board goes back as it is. */
        NO3_IF_ANY(go && best >= 0xf0000000u)
        {
            u32 solved = go && best >= 0xf0000000u;
            at = GROUP_EMIT(slice, solved);
            if (at != NONE) {
                GLOBAL u32 *to = records + (u64)at * (1 + lanes * kept);
                if (lane == 0) to[0] = count;
                NO3_UNROLL
                for (i = 0; i < kept; i++)
                    to[1 + lanes * i + lane] = list[i];
                have = go = 0;
                steps++;
            } else if (solved) {
                have = 2;
                go = 0;
            }
        }
        steps += go;
        if (go && best < 0x10000000u) have = go = 0; /* dead */

        /* the orbit to place; a group without a board goes along with any */
        at = go ? best & 0xffffff : 0;
        line = at >> 6;
        place = places[at];
        orbit = place & 4095;
        other = place >> 12 & 127;
        NO3_UNROLL
        for (i = 0; i < share; i++)
            gone[i] = 0;
        combgpu_no3_gone(gone, rows + (1 + orbit) * all, share);
        if (go) {
            NO3_UNROLL
            for (i = 0; i < share; i++)
                words[i] &= ~gone[i];
            if (best >= 0x20000000u) { /* not forced: the board without it waits */
                combgpu_no3_store(top, words, share);
                top[to_need] = need | count << 24;
                top += level_words;
                levels++;
            }
            if (line - own < lines) need -= (place >> 19 & 3) << 2 * (line - own);
            if (other - own < lines) need -= (place >> 21 & 3) << 2 * (other - own);
            at = 0xffffu << (count & 8 ? 16 : 0);
            NO3_UNROLL
            for (i = 0; i < kept; i++) {
                u32 here = lanes * i + lane == NO3_SLOT(count) ? at : 0;
                list[i] = (list[i] & ~here) | ((orbit << 16 | orbit) & here);
            }
            count++;
        }

        /* what its lines no longer take */
        need_line = GROUP_FROM(need >> 2 * (line % lines), line / lines) & 3;
        need_other = GROUP_FROM(need >> 2 * (other % lines), other / lines) & 3;
        combgpu_no3_gone(gone, rows + (line_rows + 3 * line + need_line) * all, share);
        combgpu_no3_gone(gone, rows + (line_rows + 3 * other + need_other) * all, share);

        /* what is in line with it and an orbit placed before; with itself: what it excludes alone.
           In a round each lane finds the row for one orbit; then all lanes read all of them. */
        limit = go ? count : 0;
        NO3_UNROLL
        NO3_EACH_ROUND(k, NO3_ROUND(k, lanes) < limit, 2 * kept)
        {
            u32 row = 0, part, high = lanes <= 8 ? lanes * k & 8 : k & 1;
            u32 slot = lanes <= 8 ? NO3_SLOT(lanes * k) / lanes : k >> 1;
            u32 number = lanes <= 8 ? lanes * k + lane
                                    : 32 * slot + 16 * (lane >> 3) + (lane & 7) + (high ? 8 : 0);
            for (part = 0; part < parts; part++) {
                if (number < limit) {
                    at = (orbit * stride + (high ? list[slot] >> 16 : list[slot] & 0xffff)) * parts +
                         part;
                    row = all == 16 ? ((GLOBAL const u16 *)pairs)[at] : pairs[at];
                }
                NO3_UNROLL
                for (i = 0; i < lanes; i++)
                    combgpu_no3_gone(gone, rows + GROUP_FROM(row, i) * all, share);
            }
        }
        if (go) {
            NO3_UNROLL
            for (i = 0; i < share; i++)
                words[i] &= ~gone[i];
        }
    }

    /* give back the board and the stack: their lists begin alike */
    have = have != 0;
    while (CREW_ANY(have || levels)) {
        u32 pair;
        at = GROUP_GIVE(slice, have || levels);
        if (at != NONE) {
            if (have)
                have = 0;
            else {
                top -= level_words;
                levels--;
                combgpu_no3_load(words, top, share);
                need = top[to_need];
                count = need >> 24;
                need &= 0xffffff;
            }
        }
        pair = lanes == 16 ? GROUP_FROM(need, lane ^ 1) : 0;
        if (at != NONE) {
            GLOBAL u32 *to = left + (u64)at * task_words;
            NO3_UNROLL
            for (i = 0; i < share; i++)
                to[lane * share + i] = words[i];
            NO3_UNROLL
            for (i = 0; i < kept; i++)
                to[all + 8 + lanes * i + lane] = list[i];
            if (lanes == 4) {
                to[all + 2 * lane] = (need & ((1u << part_bits) - 1)) | count << 24;
                to[all + 2 * lane + 1] = need >> part_bits | count << 24;
            } else if (lanes == 8)
                to[all + lane] = need | count << 24;
            else if (!(lane & 1))
                to[all + lane / 2] = need | pair << need_bits | count << 24;
        }
    }
    if (lane == 0) combgpu_add_total(slice, 0, steps);
}

