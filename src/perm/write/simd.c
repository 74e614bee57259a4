/* Writes permutations on the CPU with vectors: one table look-up for each vector turns a group's
   positions, 720 n bytes in the L1 cache, into its bytes. In 55 of 56 steps to the next group only
   the last eight positions change. */

#define COMBGPU__PERM_EIGHT 56 /* groups that differ only in the last eight positions */

/* Size of the table of combgpu__perm_groups. */
COMBGPU__PRIVATE size_t combgpu__perm_groups_bytes(int n)
{
    return 8 * COMBGPU__PERM_EIGHT + (size_t)COMBGPU__PERM_GROUP * (size_t)n + 64;
}

/* Makes the table for n >= 6: the first order of eight elements in each of their 56 groups; then a
   group of n as positions; then padding for a vector that reads past its end. */
COMBGPU__PRIVATE void combgpu__perm_groups(int n, uint8_t *groups)
{
    uint8_t perm[COMBGPU__PERM_MAX128];
    int i;
    memset(groups, 0, combgpu__perm_groups_bytes(n));
    for (i = 0; i < COMBGPU__PERM_EIGHT; i++)
        combgpu__perm_unrank(8, (uint64_t)i * COMBGPU__PERM_GROUP, groups + 8 * i);
    groups += 8 * COMBGPU__PERM_EIGHT;
    for (i = 0; i < n; i++)
        perm[i] = (uint8_t)i;
    for (i = 0; i < COMBGPU__PERM_GROUP; i++, groups += n) {
        memcpy(groups, perm, (size_t)n);
        combgpu_perm_next(n, perm);
    }
}

/* Moves from a group's first permutation to the next group's. eight[] are the last eight elements,
   sorted, if n >= 8. */
COMBGPU__PRIVATE void combgpu__perm_next_group(combgpu__perm_walk *walk, int n, uint8_t *eight)
{
    uint64_t group = walk->rank / COMBGPU__PERM_GROUP % COMBGPU__PERM_EIGHT + 1;
    int i;
    walk->rank += COMBGPU__PERM_GROUP;
    if (n >= 8 && group < COMBGPU__PERM_EIGHT) {
        const uint8_t *order = walk->groups + 8 * group;
        for (i = 0; i < 8; i++)
            walk->perm[n - 8 + i] = eight[order[i]];
        return;
    }
    combgpu__perm_reverse(walk->perm + n - 6, walk->perm + n);
    combgpu_perm_next(n, walk->perm);
    if (n >= 8) memcpy(eight, walk->perm + n - 8, 8);
}

/* Makes eight[] for combgpu__perm_next_group from any permutation. */
COMBGPU__PRIVATE void combgpu__perm_last_eight(const combgpu__perm_walk *walk, int n,
                                               uint8_t *eight)
{
    int i, j;
    for (i = 0; i < 8 && n >= 8; i++) { /* insertion sort */
        uint8_t x = walk->perm[n - 8 + i];
        for (j = i; j > 0 && eight[j - 1] > x; j--)
            eight[j] = eight[j - 1];
        eight[j] = x;
    }
}

#ifdef COMBGPU__VECTOR
/* A look-up in 16, 32 or 48 bytes. */
#define COMBGPU__PERM_LOOKUP1(i) COMBGPU__LOOKUP(table[0], i)
#define COMBGPU__PERM_LOOKUP2(i)                                                                   \
    COMBGPU__OR(COMBGPU__LOOKUP(table[0], COMBGPU__PICK(i, 0)),                                    \
                COMBGPU__LOOKUP(table[1], COMBGPU__PICK(i, 16)))
#define COMBGPU__PERM_LOOKUP3(i)                                                                   \
    COMBGPU__OR(COMBGPU__PERM_LOOKUP2(i), COMBGPU__LOOKUP(table[2], COMBGPU__PICK(i, 32)))

/* Stores all whole vectors of a group from its byte `at` on, to out + at. */
#define COMBGPU__PERM_VECTORS(LOOKUP, STORE)                                                       \
    for (; at + COMBGPU__VECTOR <= bytes; at += COMBGPU__VECTOR) {                                 \
        const combgpu__vector places = COMBGPU__LOAD(pattern + at);                                \
        STORE(out + at, LOOKUP(places));                                                           \
    }
#define COMBGPU__PERM_ALL_VECTORS(STORE)                                                           \
    if (n <= 16)                                                                                   \
        COMBGPU__PERM_VECTORS(COMBGPU__PERM_LOOKUP1, STORE)                                        \
    else if (n <= 32)                                                                              \
        COMBGPU__PERM_VECTORS(COMBGPU__PERM_LOOKUP2, STORE)                                        \
    else                                                                                           \
        COMBGPU__PERM_VECTORS(COMBGPU__PERM_LOOKUP3, STORE)
#define COMBGPU__PERM_ONE_VECTOR(at)                                                               \
    (n <= 16   ? COMBGPU__PERM_LOOKUP1(COMBGPU__LOAD(pattern + (at)))                              \
     : n <= 32 ? COMBGPU__PERM_LOOKUP2(COMBGPU__LOAD(pattern + (at)))                              \
               : COMBGPU__PERM_LOOKUP3(COMBGPU__LOAD(pattern + (at))))

/* Writes `count` groups from the walk's on and moves past them; n >= 6. Stores past the caches are
   whole vectors: `line` holds a vector that two groups share. */
COMBGPU__PRIVATE COMBGPU__VECTORS void combgpu__perm_write_groups(combgpu__perm_walk *walk, int n,
                                                                  uint64_t count, uint8_t *out)
{
    const uint8_t *pattern = walk->groups + 8 * COMBGPU__PERM_EIGHT;
    const size_t bytes = (size_t)COMBGPU__PERM_GROUP * (size_t)n;
    size_t before = walk->stream ? (size_t)(uintptr_t)out % COMBGPU__VECTOR : 0, skip = before, at;
    uint8_t line[2 * COMBGPU__VECTOR], eight[8], bytes_of[COMBGPU__PERM_MOST];
    combgpu__perm_last_eight(walk, n, eight);
    for (; count; count--, out += bytes) {
        combgpu__vector table[3];
        int i;
        memcpy(bytes_of, walk->perm, sizeof bytes_of);
        for (i = 0; i < n && walk->items; i++)
            bytes_of[i] = walk->items[walk->perm[i]];
        for (i = 0; i < 3; i++)
            table[i] = COMBGPU__TABLE(bytes_of + 16 * i);
        at = 0;
        if (before) { /* the rest of the line */
            COMBGPU__STORE(line + before, COMBGPU__PERM_ONE_VECTOR(0));
            at = COMBGPU__VECTOR - before;
            if (skip)
                memcpy(out, line + skip, at);
            else
                COMBGPU__STREAM(out - before, COMBGPU__LOAD(line));
            skip = 0;
        }
        if (walk->stream) {
            COMBGPU__PERM_ALL_VECTORS(COMBGPU__STREAM)
            before = bytes - at;
            if (before) COMBGPU__STORE(line, COMBGPU__PERM_ONE_VECTOR(at));
        } else {
            COMBGPU__PERM_ALL_VECTORS(COMBGPU__STORE)
            if (at < bytes) {
                at = bytes - COMBGPU__VECTOR;
                COMBGPU__STORE(out + at, COMBGPU__PERM_ONE_VECTOR(at));
            }
        }
        combgpu__perm_next_group(walk, n, eight);
    }
    if (!walk->stream) return;
    memcpy(out - before, line, before);
    COMBGPU__FENCE();
}
#endif

/* Writes the next `count` permutations and moves past them. */
COMBGPU__PRIVATE void combgpu__perm_walk_write(combgpu__perm_walk *walk, int n, uint64_t count,
                                               uint8_t *out)
{
    while (count) {
        uint64_t done = 1;
        size_t i;
        int whole = count >= COMBGPU__PERM_GROUP && walk->rank % COMBGPU__PERM_GROUP == 0;
#ifdef COMBGPU__VECTOR
        if (walk->groups && whole) {
            done = count / COMBGPU__PERM_GROUP;
            combgpu__perm_write_groups(walk, n, done, out);
            done *= COMBGPU__PERM_GROUP;
            out += (size_t)done * (size_t)n;
            count -= done;
            continue;
        }
#endif
        if (n >= 8 && whole) {
            uint8_t head[COMBGPU__PERM_MOST];
            memcpy(head, walk->perm, sizeof head);
            combgpu__perm_write720(n, head, walk->perm + n - 6, out);
            combgpu__perm_reverse(walk->perm + n - 6, walk->perm + n);
            done = COMBGPU__PERM_GROUP;
        } else if (n >= 8 && count >= 24 && walk->rank % 24 == 0) {
            combgpu__perm_write24(n, walk->perm, walk->perm + n - 4, out);
            combgpu__perm_reverse(walk->perm + n - 4, walk->perm + n);
            done = 24;
        } else
            memcpy(out, walk->perm, (size_t)n);
        for (i = 0; walk->items && i < (size_t)done * (size_t)n; i++)
            out[i] = walk->items[out[i]];
        combgpu_perm_next(n, walk->perm);
        walk->rank += done;
        out += (size_t)done * (size_t)n;
        count -= done;
    }
}
