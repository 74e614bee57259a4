/* ---- forced and forbidden edges and what follows; 0 = no tour is left. By lane 0. */

DEVICE void branch_touch(const branch_t *b, u32 node)
{
    if (b->flag[node]) return;
    b->flag[node] = 1;
    b->queue[b->counts[0]++] = (u16)node;
}

DEVICE u32 branch_forbid(branch_t *b, u32 edge)
{
    u32 ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16;
    if (b->marks[edge] == BRANCH_FORBIDDEN) return 1;
    if (b->marks[edge] == BRANCH_FORCED) return 0;
    b->marks[edge] = (u8)BRANCH_FORBIDDEN;
    b->fixed++;
    branch_touch(b, u);
    branch_touch(b, v);
    b->open[u]--;
    b->open[v]--;
    return b->open[u] >= 2 && b->open[v] >= 2;
}

/* Enters a forced edge; the one that would close its path too early is forbidden. */
DEVICE u32 branch_join(branch_t *b, u32 edge)
{
    u32 ends = b->ends[edge], u = ends & 0xffff, v = ends >> 16, p, q, i;
    if (b->forced[u] == 2 || b->forced[v] == 2) return 0;
    b->forced[u]++;
    b->forced[v]++;
    b->forced_count++;
    branch_touch(b, u);
    branch_touch(b, v);
    p = b->other_end[u];
    q = b->other_end[v];
    if (p == v) return b->forced_count == b->nodes;
    b->other_end[p] = (u16)q;
    b->other_end[q] = (u16)p;
    if (b->forced_count == b->nodes - 1) return 1;
    for (i = b->begin[p]; i < b->begin[p + 1]; i++) {
        u32 closing = b->incident[i], other = b->ends[closing];
        if ((other & 0xffff) + (other >> 16) == p + q && b->marks[closing] == BRANCH_FREE)
            return branch_forbid(b, closing);
    }
    return 1;
}

DEVICE u32 branch_force(branch_t *b, u32 edge)
{
    if (b->marks[edge] != BRANCH_FREE) return b->marks[edge] == BRANCH_FORCED;
    b->marks[edge] = (u8)BRANCH_FORCED;
    b->fixed++;
    return branch_join(b, edge);
}

/* Takes in the edges of the list, forced before (`fresh`) or now, and then all that follows: a node
   with two forced edges needs no other, one with two edges left needs both. */
DEVICE u32 branch_settle(branch_t *b, u32 fresh)
{
    u32 fine = 1, i;
    for (i = 0; fine && i < b->counts[1]; i++)
        fine = fresh ? branch_join(b, b->list[i]) : branch_force(b, b->list[i]);
    while (fine && b->counts[0]) {
        u32 node = b->queue[--b->counts[0]], force = b->open[node] == 2;
        b->flag[node] = 0;
        if (b->open[node] == b->forced[node] || (!force && b->forced[node] < 2)) continue;
        for (i = b->begin[node]; fine && i < b->begin[node + 1]; i++) {
            u32 edge = b->incident[i];
            if (b->marks[edge] != BRANCH_FREE) continue;
            fine = force ? branch_force(b, edge) : branch_forbid(b, edge);
        }
    }
    return fine;
}

