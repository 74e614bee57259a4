/* Cell i of rotation or reflection g (bits: 1 transpose, 2 flip rows, 4 flip columns) of image k of the
   M-group is this cell of the square. */
DEVICE u32 combgpu_magic_cell(u32 k, u32 g, u32 i)
{
    u32 row = i / 5, column = i % 5, t = row;
    u32 order = k == 0 ? 0x43210u : k == 1 ? 0x34201u : k == 2 ? 0x41230u : 0x30241u;
    if (g & 1) row = column, column = t;
    if (g & 2) row = 4 - row;
    if (g & 4) column = 4 - column;
    return 5 * ((order >> (4 * row)) & 15) + ((order >> (4 * column)) & 15);
}

/* The rotation or reflection that brings an image to Frenicle form. */
DEVICE u32 combgpu_magic_frenicle(LOCAL const u8 *square, LOCAL const u8 *map, u32 complement)
{
    u32 g, best = 0, least = 99, row, column;
    for (g = 0; g < 8; g += 2) {
        u32 corner = square[map[25 * g]];
        if (complement) corner = 26 - corner;
        if (corner < least) least = corner, best = g;
    }
    row = square[map[25 * best + 1]];
    column = square[map[25 * best + 5]];
    return (row < column) == (complement == 0) ? best : best | 1;
}

/* A square by the corners of its rings, a byte each cell. */
DEVICE void combgpu_magic_square(const combgpu_magic_join_t *j, GLOBAL const u32 *pair, u32 way,
                                 u32 code, LOCAL u8 *square)
{
    u32 a = pair[0] >> 5, b = pair[1], ring, n[4], i;
    square[12] = (u8)(pair[0] & 31);
    square[0] = (u8)((a >> (5 * ((way >> 2) & 3))) & 31);
    square[4] = (u8)((b >> (5 * (way & 3))) & 31);
    square[24] = (u8)((a >> (5 * ((way >> 6) & 3))) & 31);
    square[20] = (u8)((b >> (5 * ((way >> 4) & 3))) & 31);
    square[6] = (u8)((a >> (5 * ((way >> 10) & 3))) & 31);
    square[16] = (u8)((b >> (5 * ((way >> 8) & 3))) & 31);
    square[18] = (u8)((a >> (5 * ((way >> 14) & 3))) & 31);
    square[8] = (u8)((b >> (5 * ((way >> 12) & 3))) & 31);
    for (ring = 0; ring < 2; ring++) { /* ring 2 is ring 1 of the transposed square */
        u32 sides = ring ? way >> 16 : way, corners = ring ? code : code >> 16;
        u32 down = ring ? 1 : 5, across = ring ? 5 : 1;
        for (i = 0; i < 4; i++)
            n[i] = j->number[(corners >> (12 - 4 * i)) & 15];
        square[across] = (u8)n[0];
        square[3 * across] = (u8)n[1];
        square[4 * down + across] = (u8)n[2];
        square[4 * down + 3 * across] = (u8)n[3];
        square[2 * across] = (u8)(j->sums[sides & 15] - n[0] - n[1]);
        square[4 * down + 2 * across] = (u8)(j->sums[(sides >> 4) & 15] - n[2] - n[3]);
        square[2 * down + across] = (u8)(j->sums[(sides >> 8) & 15] - n[0] - n[2]);
        square[2 * down + 3 * across] = (u8)(j->sums[(sides >> 12) & 15] - n[1] - n[3]);
    }
}

DEVICE u64 combgpu_magic_fnv(LOCAL const u8 *square, LOCAL const u8 *map, u32 complement)
{
    u64 hash = (u64)0xcbf29ce4u << 32 | 0x84222325u;
    u32 i, number;
    for (i = 0; i < 25; i++) {
        number = square[map[i]];
        hash = (hash ^ (complement ? 26 - number : number)) * ((u64)0x100 << 32 | 0x1b3);
    }
    return hash;
}

/* What lane 0 knows. */
typedef struct combgpu_magic_lister_t {
    u32 next, end, steps, full;
} combgpu_magic_lister_t;

/* Lane 0: books the pair that is done, with so many squares up to the M-group; returns the next one, or
   NONE at the slice's end. */
DEVICE u32 combgpu_magic_list_next(combgpu_magic_lister_t *l, GLOBAL combgpu_slice_t *slice,
                                   GLOBAL const u32 *tables, GLOBAL const u32 *tasks,
                                   GLOBAL u32 *left, GLOBAL u32 *records, u32 squares, u32 busy)
{
    u32 at = 0;
    if (busy && MAGIC_GOAL == 2) {
        at = combgpu_emit(slice);
        l->full = at == NONE;
        if (at != NONE) {
            records[2 * at] = l->next;
            records[2 * at + 1] = squares;
        }
    }
    if (busy && !l->full) {
        if (squares) combgpu_add_total(slice, 1 + (tables[294 + 2 * l->next] & 31), squares);
        l->steps++;
        l->next++;
    }
    if (!l->full && !combgpu_spent(slice, l->steps)) {
        if (l->next < l->end) return l->next;
        at = combgpu_take(slice);
        if (at == NONE) return NONE;
        l->next = tasks[4 * at];
        l->end = tasks[4 * at + 2];
        return l->next;
    }
    if (l->next < l->end) combgpu_give_range(slice, left, l->next, l->end);
    return NONE;
}

/* 1: of a square only the complement has the centre that is asked for. */
DEVICE u32 combgpu_magic_from(GLOBAL const u32 *pair, GLOBAL const u32 *tables)
{
    return MAGIC_CENTRE && MAGIC_CENTRE != (pair[0] & 31);
}

/* How many images of a square are listed: of the M-group, those of the complement too unless a centre is
   asked for or it is 13; in all orientations or one. */
DEVICE u32 combgpu_magic_images(GLOBAL const u32 *pair, GLOBAL const u32 *tables, u32 from)
{
    u32 images = !from && !MAGIC_CENTRE && (pair[0] & 31) != 13 ? 8 : 4;
    return MAGIC_FRENICLE ? images : 8 * images;
}

