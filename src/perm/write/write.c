/* Writes permutations on the CPU in portable C, moving no byte twice. */

/* A position in an order: a member, with its rank and unused values. */
typedef struct combgpu__perm_walk {
    uint64_t rank;
    uint64_t unused; /* families: the unused values. Before perm[], so that the struct is aligned
                        and faster to copy */
    uint8_t perm[COMBGPU__PERM_MOST];  /* bytes after its positions are read, but meaningless */
    uint8_t place[COMBGPU__PERM_MOST]; /* of a value: its place (CYCLE), copies left (MULTISET) */
    /* all permutations: */
    const uint8_t *groups; /* combgpu__perm_groups; NULL = write with portable code */
    const uint8_t *items;  /* written instead of the elements, items[element]; NULL = none */
    int stream;            /* write past the caches */
} combgpu__perm_walk;

/* Writes the 24 permutations that begin with head[0 .. n-5] and end with the orders of four sorted
   elements; n >= 8. Combines words from one word per (place, element), so that it stores only whole
   words, and the order of bytes in a word does not matter. */
COMBGPU__PRIVATE void combgpu__perm_write24(int n, const uint8_t *head, const uint8_t *four,
                                            uint8_t *out)
{
    static const uint8_t units[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    uint32_t unit[4], w[4][4]; /* [place][element] */
    uint32_t orders[24];
    uint64_t first, second;
    int i;
    for (i = 0; i < 4; i++) {
        memcpy(&unit[i], units[i], 4);
        w[i][0] = unit[i] * four[0];
        w[i][1] = unit[i] * four[1];
        w[i][2] = unit[i] * four[2];
        w[i][3] = unit[i] * four[3];
    }
#define COMBGPU__ORDER(at, a, b, c, d)                                                             \
    orders[at] = w[0][a] | w[1][b] | w[2][c] | w[3][d];                                            \
    orders[at + 1] = w[0][a] | w[1][b] | w[2][d] | w[3][c];
#define COMBGPU__ORDERS(at, a, b, c, d)                                                            \
    COMBGPU__ORDER(at, a, b, c, d)                                                                 \
    COMBGPU__ORDER(at + 2, a, c, b, d)                                                             \
    COMBGPU__ORDER(at + 4, a, d, b, c)
    COMBGPU__ORDERS(0, 0, 1, 2, 3)
    COMBGPU__ORDERS(6, 1, 0, 2, 3)
    COMBGPU__ORDERS(12, 2, 0, 1, 3)
    COMBGPU__ORDERS(18, 3, 0, 1, 2)
#undef COMBGPU__ORDERS
#undef COMBGPU__ORDER
    memcpy(&first, head, 8); /* for n < 12 overlaps the last four positions, stored later */
    if (n <= 12) {
        for (i = 0; i < 24; i++, out += n) {
            memcpy(out, &first, 8);
            memcpy(out + n - 4, &orders[i], 4);
        }
        return;
    }
    memcpy(&second, head + n - 12, 8);
    for (i = 0; i < 24; i++, out += n) {
        int j;
        memcpy(out, &first, 8);
        for (j = 8; j < n - 12; j += 8) /* n > 20 */
            memcpy(out + j, head + j, 8);
        memcpy(out + n - 12, &second, 8);
        memcpy(out + n - 4, &orders[i], 4);
    }
}

/* Writes the group that begins with head[0 .. n-7] and ends with the orders of six sorted elements.
   head has room for n bytes; its last six are overwritten. */
COMBGPU__PRIVATE void combgpu__perm_write720(int n, uint8_t *head, const uint8_t *six, uint8_t *out)
{
    int i, j, k, count;
    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) {
            uint8_t four[4];
            if (j == i) continue;
            head[n - 6] = six[i];
            head[n - 5] = six[j];
            for (count = k = 0; k < 6; k++)
                if (k != i && k != j) four[count++] = six[k];
            combgpu__perm_write24(n, head, four, out);
            out += (size_t)24 * (size_t)n;
        }
}
