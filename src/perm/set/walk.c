/* Walks through the members of families. */

/* Moves to the next leaf of the tree, if any: back to the last position that can take a larger
   value, then forward with the smallest values. (The only value for a derangement's last position
   may be forbidden.) */
COMBGPU__PRIVATE void combgpu__perm_set_tree_next(const combgpu__perm_set *set,
                                                  combgpu__perm_walk *walk)
{
    uint64_t larger = 0;
    int i = set->length;
    while (i < set->length || !larger) {
        if (larger) { /* takes the smallest value allowed at position i */
            combgpu__perm_set_choose(walk, i++, combgpu__lowest_bit64(larger));
            larger = i < set->length ? combgpu__perm_set_allowed(set, walk, i) : 1;
        } else {
            int value;
            if (!i) return;
            value = walk->perm[--i];
            walk->unused |= UINT64_C(1) << value;
            walk->place[value] = COMBGPU__SET_FREE;
            larger = combgpu__perm_set_allowed(set, walk, i) & ~UINT64_C(1) << value;
        }
    }
}

/* Moves to the member of walk->rank from the one before. */
COMBGPU__PRIVATE void combgpu__perm_set_gray_next(const combgpu__perm_set *set,
                                                  combgpu__perm_walk *walk)
{
    uint64_t rank = walk->rank;
    int m = set->n, at = 0;
    for (; m && rank % (uint64_t)m == 0; m--)
        rank /= (uint64_t)m;
    if (!m) return;
    while (walk->perm[at] != m - 1)
        at++;
    if (!(rank / (uint64_t)m & 1)) at--;
    m = walk->perm[at];
    walk->perm[at] = walk->perm[at + 1];
    walk->perm[at + 1] = (uint8_t)m;
}

/* ---- any family */

COMBGPU__PRIVATE void combgpu__perm_set_walk_to(const combgpu__perm_set *set,
                                                combgpu__perm_walk *walk, uint64_t rank)
{
    combgpu_u128 wide = {0, 0};
    wide.lo = rank;
    if (set->family == COMBGPU_PERM_ALL) {
        combgpu__perm_set_start(set, walk);
        combgpu__perm_unrank(set->n, rank, walk->perm);
    } else
        combgpu__perm_set_unrank(set, wide, walk);
    walk->rank = rank;
}

COMBGPU__PRIVATE void combgpu__perm_set_walk_next(const combgpu__perm_set *set,
                                                  combgpu__perm_walk *walk)
{
    int i = set->k - 1;
    walk->rank++;
    switch (set->family) {
    case COMBGPU_PERM_ALL:
    case COMBGPU_PERM_MULTISET:
    case COMBGPU_PERM_CIRCULAR:
        combgpu_perm_next(set->length, walk->perm);
        break;
    case COMBGPU_PERM_COMBINATION:
        while (i >= 0 && walk->perm[i] == set->n - set->k + i)
            i--;
        if (i < 0) return;
        for (walk->perm[i]++; ++i < set->k;)
            walk->perm[i] = (uint8_t)(walk->perm[i - 1] + 1);
        break;
    case COMBGPU_PERM_GRAY:
        combgpu__perm_set_gray_next(set, walk);
        break;
    default:
        combgpu__perm_set_tree_next(set, walk);
    }
}

/* Writes the next `count` members and moves past them. */
COMBGPU__PRIVATE void combgpu__perm_set_walk_write(const combgpu__perm_set *set,
                                                   combgpu__perm_walk *walk, uint64_t count,
                                                   uint8_t *out)
{
    if (set->family == COMBGPU_PERM_ALL) {
        combgpu__perm_walk_write(walk, set->n, count, out);
        return;
    }
    for (; count; count--, out += set->length) {
        memcpy(out, walk->perm, (size_t)set->length);
        combgpu__perm_set_walk_next(set, walk);
    }
}
