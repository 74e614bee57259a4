#if defined(COMBGPU_KERNELS_MULTISET) || defined(__CUDACC__)
/* Multisets to the caller's memory: a warp takes a piece, and goes from one block of it to the next. A
   block is the members with the same first places. Their last places, the *tail*, come in the orders
   of a shape: how often each letter (a value that occurs) is in it, the smallest first. The host has
   a list for each shape, of all bytes of a block: a nibble says which of the shape's letters the byte
   is, or that it belongs to the first places (7). These repeat after MULTI_PERIOD units of 16 bytes,
   and are prepared as so many windows. A lane makes unit after unit; of one in which a block ends and
   the next begins the first part is carried over.

   Lane v has letter v: how many of it are left, and of the letters before it. Lane i has place i. */
#define MULTI_LENGTH tables[0] /* at most 32 */
#define MULTI_LETTERS tables[1]
#define MULTI_PREFIX tables[2]
#define MULTI_PERIOD tables[3]
#define MULTI_COUNT combgpu_load64(tables + 4)
#define MULTI_FIRST combgpu_load64(tables + 6)
#define MULTI_OFFSET combgpu_load64(tables + 8)
#define MULTI_TASK tables[10]  /* members of a task; of a piece at least, about, and at most */
#define MULTI_LEAST tables[11]
#define MULTI_MOST tables[12]
#define MULTI_LETTER 13   /* value, 256 * repeats, 65536 * repeats of those before it */
#define MULTI_INVERSES 34 /* of the odd parts of 0 .. 32, modulo 2^64 */
#define MULTI_SHAPES 100  /* word at which the list begins, and orders in it */
#define MULTI_LANES 256
#ifdef COMBGPU_SHUFFLE
#define MULTI_GROUPS (MULTI_LANES / 32)
#else
#define MULTI_GROUPS 1
#endif

/* all * r / m, a whole number, for m <= 32: modulo 2^64, a shift and then the odd part's inverse. */
DEVICE u64 combgpu_multi_part(GLOBAL const u32 *tables, u64 all, u32 r, u32 m)
{
    const u64 low = (u64)(u32)all * r, high = (all >> 32) * r + (low >> 32);
    const u32 shift = CTZ(m);
    return ((high << (32 - shift)) + ((u32)low >> shift)) *
           combgpu_load64(tables + MULTI_INVERSES + 2 * m);
}

/* The bytes from .. to - 1 of a word, and 0 for the others. */
DEVICE u32 combgpu_multi_keep(u32 word, i32 from, i32 to)
{
    if (from >= 4 || to <= 0) return 0;
    if (from > 0) word &= ~0u << (8 * from);
    if (to < 4) word &= ~0u >> (32 - 8 * to);
    return word;
}

KERNEL_BLOCKS(MULTI_LANES, 4) combgpu_perm_write_multiset(SLICE_ARGUMENTS)
{
    GROUP_BEGIN(32);
    LOCAL_ARRAY uint4 all_windows[MULTI_GROUPS * 32], carries[MULTI_GROUPS];
    LOCAL_ARRAY uint2 tails[MULTI_GROUPS];
    LOCAL_ARRAY u32 all_texts[MULTI_GROUPS * 16];
    LOCAL_ARRAY u64 sums[MULTI_GROUPS * 2];
    const u32 lane = GROUP_LANE, own = LANE_ID / 32;
    LOCAL uint4 *windows = all_windows + 32 * own;
    LOCAL u32 *text = all_texts + 16 * own;
    const u32 length = MULTI_LENGTH, prefix = MULTI_PREFIX, period = MULTI_PERIOD;
    const u32 letter = lane < MULTI_LETTERS ? tables[MULTI_LETTER + lane] : 0;
    const u32 task_count = slice->task_count ? slice->task_count : 1;
    /* as many pieces as a small number of rounds has */
    const u32 rounds = MULTI_TASK / MULTI_MOST * task_count / slice->workers + 1;
    const u32 fit = rounds * slice->workers / task_count, room = MULTI_TASK / MULTI_LEAST;
    const u32 parts = fit < room ? fit : room; /* of a task; 16 members keep the borders aligned */
    const u32 piece_size = (MULTI_TASK / (parts ? parts : 1) + 16) & ~15u;
    const u32 pieces = (MULTI_TASK + piece_size - 1) / piece_size;
    u32 taken = GROUP_INDEX < slice->workers ? GROUP_INDEX : NONE, place = 0, left_over = 0;
    u32 before = 0, v, m;
    i32 block = 0, block_end = 0, piece = 0, piece_end = 0; /* bytes from `to` on */
    u64 steps = 0, hash = 0, rank, all;
    GLOBAL u8 *to = (GLOBAL u8 *)work;
    (void)records;
    if (lane == 0) {
        tails[own].x = tails[own].y = 0;
        carries[own].x = carries[own].y = carries[own].z = carries[own].w = 0;
    }
    for (;;) {
        const u32 fresh = block_end >= piece_end; /* a piece begins; the same for all lanes */
        u32 at = fresh ? 0 : prefix, orders, letters, shape;
        i32 start, end, unit, k;
        GLOBAL const u32 *list;
        uint2 tail;
        uint4 carry;
        rank = all = 0;
        if (fresh) {
            const u32 number = GROUP_FROM(taken, 0), part = number % pieces;
            const u32 task = number / pieces;
            u64 begin, last, first;
            if (number == NONE || task >= slice->task_count) break;
            begin = combgpu_load64(tasks + 4 * task);
            last = combgpu_load64(tasks + 4 * task + 2);
            rank = begin + (u64)part * piece_size;
            if (part < pieces - 1 && rank < last && last - rank > piece_size)
                last = rank + piece_size;
            if (rank < last) {
                steps += last - rank;
                hash += combgpu_mix(last) - combgpu_mix(rank);
            }
            taken = NONE;
            if (lane == 0 && !combgpu_spent(slice, (u32)steps))
                taken = ATOMIC_ADD(&slice->area_next, 1) + slice->workers;
            if (rank >= last) continue;
            first = MULTI_OFFSET + (rank - MULTI_FIRST) * length;
            to = (GLOBAL u8 *)work + (first & ~(u64)127);
            piece = (i32)(first & 127);
            piece_end = piece + (i32)((u32)(last - rank) * length);
            all = MULTI_COUNT;
            left_over = letter >> 8 & 255;
            before = letter >> 16;
        }
        /* the next block: back to the last place that can have a larger letter, which it takes */
        for (v = fresh; v == 0;) {
            const u32 old = GROUP_FROM(place, --at);
            left_over += lane == old;
            before += lane > old;
            v = GROUP_BALLOT(left_over > 0) & (~1u << old);
            if (v) {
                const u32 next = CTZ(v);
                left_over -= lane == next;
                before -= lane > next;
                if (lane == at) place = next;
            }
        }
        for (at += !fresh; at < prefix; at++) { /* the places behind it */
            u64 smaller = 0;
            u32 both;
            m = length - at;
            if (fresh) smaller = combgpu_multi_part(tables, all, before, m);
            v = GROUP_BALLOT(left_over > 0 && smaller <= rank);
            v = fresh ? 31 - CLZ(v) : CTZ(v);
            both = GROUP_FROM(before << 8 | left_over, v);
            if (fresh) {
                rank -= combgpu_multi_part(tables, all, both >> 8, m);
                all = combgpu_multi_part(tables, all, both & 255, m);
            }
            left_over -= lane == v;
            before -= lane > v;
            if (lane == at) place = v;
        }
        /* the tail's letters and its shape; the first places, over and over */
        letters = GROUP_BALLOT(left_over > 0);
        if (left_over > 0)
            ((LOCAL u8 *)&tails[own])[POPCOUNT(letters & ((1u << lane) - 1))] = (u8)letter;
        shape = GROUP_ADD(left_over > 0 && before > 0 ? 1u << (before - 1) : 0);
        v = GROUP_FROM(letter, lane < prefix ? place : 0) & 255;
        if (lane < length)
            for (at = lane; at < length + 20; at += length)
                ((LOCAL u8 *)text)[at] = lane < prefix ? (u8)v : 0;
        list = tables + tables[MULTI_SHAPES + 2 * shape];
        orders = tables[MULTI_SHAPES + 2 * shape + 1];
        block = fresh ? piece - (i32)((u32)rank * length) : block_end;
        block_end = block + (i32)(orders * length);
        start = block > piece ? block : piece;
        end = block_end < piece_end ? block_end : piece_end;
        unit = start >> 7 << 3; /* warps store 128 bytes of a line */
        CREW_BARRIER();
        if (lane < period) {
            const u32 byte = (u32)(16 * (unit + (i32)lane) - block + 128 * (i32)length) % length;
            const u32 shift = 8 * (byte & 3);
            LOCAL const u32 *from = text + byte / 4;
            const u32 a = from[0], b = from[1], c = from[2], d = from[3], e = from[4];
            uint4 window;
            window.x = (u32)(((u64)b << 32 | a) >> shift);
            window.y = (u32)(((u64)c << 32 | b) >> shift);
            window.z = (u32)(((u64)d << 32 | c) >> shift);
            window.w = (u32)(((u64)e << 32 | d) >> shift);
            windows[lane] = window;
        }
        tail = tails[own];
        carry = carries[own];
        CREW_BARRIER();
        k = (i32)(lane % period);
        for (unit += (i32)lane; 16 * unit < end; unit += 32) {
            const i32 byte = 16 * unit, nibble = byte - block;
            GLOBAL const u32 *word = list + (nibble >> 3);
            const u32 shift = 4 * ((u32)nibble & 7);
            if (byte + 16 > start) {
                const u32 a = word[0], b = word[1], c = word[2];
                const u32 x = (u32)(((u64)b << 32 | a) >> shift);
                const u32 y = (u32)(((u64)c << 32 | b) >> shift);
                uint4 made = windows[k];
                made.x |= combgpu_perm_choose(tail.x, tail.y, x);
                made.y |= combgpu_perm_choose(tail.x, tail.y, x >> 16);
                made.z |= combgpu_perm_choose(tail.x, tail.y, y);
                made.w |= combgpu_perm_choose(tail.x, tail.y, y >> 16);
                if (byte >= start && byte + 16 <= end)
                    *(GLOBAL uint4 *)(to + byte) = made;
                else {
                    const i32 low = start - byte, high = end - byte;
                    made.x = combgpu_multi_keep(made.x, low, high);
                    made.y = combgpu_multi_keep(made.y, low - 4, high - 4);
                    made.z = combgpu_multi_keep(made.z, low - 8, high - 8);
                    made.w = combgpu_multi_keep(made.w, low - 12, high - 12);
                    if (byte < block && !fresh) { /* what the last block left */
                        made.x |= carry.x;
                        made.y |= carry.y;
                        made.z |= carry.z;
                        made.w |= carry.w;
                    }
                    if (byte + 16 > block_end && block_end < piece_end)
                        carries[own] = made;
                    else if (byte >= piece && byte + 16 <= piece_end)
                        *(GLOBAL uint4 *)(to + byte) = made;
                    else {
                        combgpu_perm_store_part(to + byte, byte, piece, piece_end, made.x);
                        combgpu_perm_store_part(to + byte + 4, byte + 4, piece, piece_end, made.y);
                        combgpu_perm_store_part(to + byte + 8, byte + 8, piece, piece_end, made.z);
                        combgpu_perm_store_part(to + byte + 12, byte + 12, piece, piece_end,
                                                made.w);
                    }
                }
            }
            k += (i32)(32 % period);
            if (k >= (i32)period) k -= (i32)period;
        }
    }
    if (lane == 0) {
        sums[2 * own] = steps;
        sums[2 * own + 1] = hash;
    }
    LOCAL_BARRIER();
    if (LANE_ID != 0) return;
    for (steps = hash = 0, v = 0; v < BLOCK_LANES / 32; v++) {
        steps += sums[2 * v];
        hash += sums[2 * v + 1];
    }
    combgpu_add_total(slice, 0, steps);
    combgpu_add_total(slice, 1, steps);
    combgpu_add_total(slice, 2, hash);
    if (ATOMIC_ADD(&slice->blocks_done, 1) == BLOCK_COUNT - 1) { /* the last block */
        const u32 next = ATOMIC_ADD(&slice->area_next, 0) + slice->workers;
        u32 task = next / pieces;
        if (task < slice->task_count && next % pieces) {
            u64 from = combgpu_load64(tasks + 4 * task) + (u64)(next % pieces) * piece_size;
            u64 end = combgpu_load64(tasks + 4 * task + 2);
            if (from < end) combgpu_give_range(slice, left, from, end);
            task++;
        }
        slice->task_next = task;
    }
}

#endif

