/* Finds magic squares of order 4 (cells/four.c): a lane takes pairs of diagonals. Sets of numbers
   have bit v for number v. */

/* Returns the set of the ring p q / r s with p + q = top, p + r = left, q + s = right; 0 if
   impossible. */
COMBGPU__DEVICE uint32_t combgpu_cells_ring4(uint32_t unused, uint32_t p, int32_t top, int32_t left,
                                             int32_t right)
{
    uint32_t q = (uint32_t)top - p, r = (uint32_t)left - p, s = (uint32_t)right - q, set;
    if (q > 16 || r > 16 || s > 16) return 0; /* negative numbers are large */
    set = 1u << p | 1u << q | 1u << r | 1u << s;
    return (set & ~unused) || COMBGPU__POPCOUNT(set) != 4 ? 0 : set;
}

/* Returns the number of squares of a pair of diagonals. */
COMBGPU__DEVICE uint32_t combgpu_cells_four_count(COMBGPU__GLOBAL const uint32_t *ways, uint32_t a,
                                                  uint32_t b)
{
    uint32_t unused = 0x1fffe, i, way, p, x, count = 0;
    for (i = 0; i < 4; i++)
        unused &= ~(1u << combgpu_magic_nibble(a, i) | 1u << combgpu_magic_nibble(b, i));
    for (i = 0; i < COMBGPU__MAGIC_WAYS; i++) {
        uint32_t a00, a03, a30, a33, a11, a12, a21, a22, set;
        way = ways[i];
        a00 = combgpu_magic_nibble(a, (way >> 2) & 3), a03 = combgpu_magic_nibble(b, way & 3);
        a33 = combgpu_magic_nibble(a, (way >> 6) & 3),
        a30 = combgpu_magic_nibble(b, (way >> 4) & 3);
        if (a00 + a03 + a30 + a33 != 34) continue; /* two rows minus two columns */
        a11 = combgpu_magic_nibble(a, (way >> 10) & 3);
        a21 = combgpu_magic_nibble(b, (way >> 8) & 3);
        a22 = combgpu_magic_nibble(a, (way >> 14) & 3);
        a12 = combgpu_magic_nibble(b, (way >> 12) & 3);
        for (p = unused; p; p &= p - 1) {
            set = combgpu_cells_ring4(unused, COMBGPU__CTZ(p), 34 - (int32_t)(a00 + a03),
                                      34 - (int32_t)(a11 + a21), 34 - (int32_t)(a12 + a22));
            for (x = set ? unused & ~set : 0; x; x &= x - 1)
                if (combgpu_cells_ring4(unused & ~set, COMBGPU__CTZ(x), 34 - (int32_t)(a11 + a12),
                                        34 - (int32_t)(a00 + a30), 34 - (int32_t)(a03 + a33)))
                    count++;
        }
    }
    return count;
}

COMBGPU__KERNEL combgpu_magic_four(COMBGPU__SLICE_ARGUMENTS)
{
    uint32_t steps = 0, task, at, pair, count;
    (void)work;
    if (COMBGPU__BLOCK_ID * COMBGPU__BLOCK_LANES + COMBGPU__LANE_ID >= slice->workers) return;
    while (!combgpu_spent(slice, steps) && (task = combgpu_take(slice)) != COMBGPU__NONE) {
        pair = tasks[4 * task];
        count = combgpu_cells_four_count(tables + COMBGPU__FOUR_AT_WAY,
                                         tables[COMBGPU__FOUR_AT_PAIR + 2 * pair],
                                         tables[COMBGPU__FOUR_AT_PAIR + 2 * pair + 1]);
        at = count ? combgpu_emit(slice) : 0;
        if (at == COMBGPU__NONE) {
            combgpu_give_range(slice, left, pair, pair + 1);
            break;
        }
        if (count) {
            records[2 * at] = pair;
            records[2 * at + 1] = count;
        }
        steps++;
    }
    if (steps) combgpu_add_total(slice, 0, steps);
}
