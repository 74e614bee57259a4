/* Separation by tightening: combs of the program are changed, a node at a time, until the point violates
   them (D. Applegate, R. Bixby, V. Chvatal and W. Cook, 1995). */

#define COMBGPU__TIGHTEN_SLACK 0.4  /* of combs that are tried */
#define COMBGPU__TIGHTEN_STEPS 20   /* moves for each, above CUT_MANY nodes twice as many */
#define COMBGPU__TIGHTEN_EVEN 6     /* of them without gain */
#define COMBGPU__TIGHTEN_NOTHING 10 /* no move gains as little */
#define COMBGPU__TIGHTEN_NOISE 1e-7 /* gains closer are equal */
#define COMBGPU__TIGHTEN_TWICE 2    /* moves of a node */

/* A comb under change. A node's move is a number: 1 if it changes its side of the handle, + 2 * (1 + the
   tooth that it then belongs to, 0 = none). Gains, below 0, are what the left side less the right one of
   x(cut(H)) + sum of x(cut(T)) >= 3 teeth + 1 changes by: each node has value 2 to all others. */
typedef struct combgpu__branch_tighten {
    combgpu__branch_support *support;
    double *gain;             /* of each node's best move */
    int32_t *move, *moved;    /* that move; how often it moved */
    int32_t *listed;          /* nodes whose move may not lose, */
    unsigned char *is_listed; /* and which are */
    int listed_count;
    /* of each tooth, [1] in the handle: how many nodes, and their numbers xored */
    int32_t cells[2][COMBGPU__LP_MOST_TEETH + 1], alone[2][COMBGPU__LP_MOST_TEETH + 1];
    double excess; /* of the left side */
} combgpu__branch_tighten;

/* Finds a node's best move. A tooth keeps a node on each side of the handle. */
COMBGPU__PRIVATE void combgpu__branch_tighten_look(combgpu__branch_tighten *t, int node)
{
    const combgpu__branch_support *s = t->support;
    int tooth = s->tooth[node], in = s->handle[node], other = 0, k, i;
    double handle = 0, own = 0, best = COMBGPU__TIGHTEN_NOTHING;
    t->gain[node] = best;
    if (t->moved[node] == COMBGPU__TIGHTEN_TWICE || (tooth && t->cells[in][tooth] < 2)) return;
    for (k = s->arc_begin[node]; k < s->arc_begin[node + 1]; k++) {
        int to = s->arc_to[k];
        other |= (s->handle[to] ^ in) | (s->tooth[to] ^ tooth);
        if (s->handle[to]) handle += s->residue[k];
        if (tooth && s->tooth[to] == tooth) own += s->residue[k];
    }
    if (!other) return; /* among its own: no move gains */
    handle = in ? 2 * handle - 2 : 2 - 2 * handle;
    own = tooth ? 2 * own - 2 : 0; /* to leave the tooth */
    for (k = s->arc_begin[node] - 1; k < s->arc_begin[node + 1]; k++) {
        int to = k < s->arc_begin[node] ? 0 : s->tooth[s->arc_to[k]];
        double more = own;
        if (to == tooth) more = 0;
        if (to && to == tooth) continue; /* the same as below */
        for (i = s->arc_begin[node]; to && i < s->arc_begin[node + 1]; i++)
            if (s->tooth[s->arc_to[i]] == to) more -= 2 * s->residue[i];
        if (to) more += 2;
        if (to != tooth && more < best) {
            best = more;
            t->move[node] = 2 * (1 + to);
        }
        if (more + handle < best) {
            best = more + handle;
            t->move[node] = 2 * (1 + to) + 1;
        }
    }
    if (tooth && handle < best) {
        best = handle;
        t->move[node] = 2 * (1 + tooth) + 1;
    }
    t->gain[node] = best;
    if (best > COMBGPU__TIGHTEN_NOISE || t->is_listed[node]) return;
    t->is_listed[node] = 1;
    t->listed[t->listed_count++] = node;
}

/* Adds a node to its cell, or takes it away; returns how many are in it. */
COMBGPU__PRIVATE int combgpu__branch_tighten_count(combgpu__branch_tighten *t, int node, int change)
{
    int side = t->support->handle[node], tooth = t->support->tooth[node];
    t->alone[side][tooth] ^= node;
    return t->cells[side][tooth] += change;
}

/* Makes a node's move. Its neighbours look anew; so does a node that becomes or was alone in its cell. */
COMBGPU__PRIVATE void combgpu__branch_tighten_move(combgpu__branch_tighten *t, int node)
{
    combgpu__branch_support *s = t->support;
    int side = s->handle[node], before = s->tooth[node], left, joined, k;
    t->excess += t->gain[node];
    t->moved[node]++;
    left = combgpu__branch_tighten_count(t, node, -1);
    s->handle[node] ^= (unsigned char)(t->move[node] & 1);
    s->tooth[node] = t->move[node] / 2 - 1;
    joined = combgpu__branch_tighten_count(t, node, 1);
    if (left == 1) combgpu__branch_tighten_look(t, t->alone[side][before]);
    if (joined == 2)
        combgpu__branch_tighten_look(t, t->alone[s->handle[node]][s->tooth[node]] ^ node);
    for (k = s->arc_begin[node]; k < s->arc_begin[node + 1]; k++)
        combgpu__branch_tighten_look(t, s->arc_to[k]);
    combgpu__branch_tighten_look(t, node);
}

/* Begins with the comb of a row. Returns the number of its teeth, 0 if it is no comb. */
COMBGPU__PRIVATE int combgpu__branch_tighten_take(combgpu__branch_tighten *t, int row)
{
    combgpu__branch_support *s = t->support;
    const unsigned char *sets = combgpu__branch_lp_sets(s->lp, row);
    int teeth = 0, i;
    if (s->lp->kind[row - s->lp->nodes] != COMBGPU__LP_COMB) return 0;
    memset(t->cells, 0, sizeof t->cells);
    memset(t->alone, 0, sizeof t->alone);
    memset(t->is_listed, 0, (size_t)s->nodes);
    t->listed_count = 0;
    for (i = 0; i < s->nodes; i++) {
        s->handle[i] = sets[i] & 1;
        s->tooth[i] = sets[i] >> 1;
        (void)combgpu__branch_tighten_count(t, i, 1);
        t->moved[i] = 0;
        t->gain[i] = HUGE_VAL; /* not looked at */
        if (s->tooth[i] > teeth) teeth = s->tooth[i];
    }
    for (i = 0; teeth && i < 2 * s->edges; i++) { /* a node among its own has no move that gains */
        int node = s->ends[i];
        if (sets[node] != sets[s->ends[i ^ 1]] && t->gain[node] > COMBGPU__TIGHTEN_NOTHING)
            combgpu__branch_tighten_look(t, node);
    }
    return teeth;
}

/* Returns the node whose move is best, of equal ones the first, or -1 if each loses. */
COMBGPU__PRIVATE int combgpu__branch_tighten_best(combgpu__branch_tighten *t)
{
    int best = -1, i;
    for (i = t->listed_count - 1; i >= 0; i--) {
        int node = t->listed[i];
        double gain = t->gain[node];
        if (gain > COMBGPU__TIGHTEN_NOISE) {
            t->is_listed[node] = 0;
            t->listed[i] = t->listed[--t->listed_count];
        } else if (best < 0 || gain < t->gain[best] || (gain == t->gain[best] && node < best))
            best = node;
    }
    return best;
}

/* Makes the best moves while they gain. */
COMBGPU__PRIVATE void combgpu__branch_tighten_improve(combgpu__branch_tighten *t)
{
    int times = t->support->nodes > COMBGPU__CUT_MANY ? 2 : 1;
    int even = times * COMBGPU__TIGHTEN_EVEN, steps = times * COMBGPU__TIGHTEN_STEPS;
    while (steps--) {
        int best = combgpu__branch_tighten_best(t);
        if (best < 0) return;
        if (t->gain[best] > -COMBGPU__TIGHTEN_NOISE && (!even-- || t->excess < -0.1)) return;
        combgpu__branch_tighten_move(t, best);
    }
}

/* Tightens the program's combs, the latest first, for at most `most` cuts. */
COMBGPU__PRIVATE void combgpu__branch_cut_tighten(combgpu__branch_support *s, int most)
{
    combgpu__branch_lp *lp = s->lp;
    combgpu__branch_tighten t;
    int before = s->added, row, teeth;
    t.support = s;
    t.gain = s->key;
    t.move = s->parent;
    t.moved = s->queue;
    t.listed = s->reached;
    t.is_listed = s->inside;
    combgpu__branch_support_take(s);
    for (row = lp->rows - 1; row >= lp->nodes && s->added - before < most; row--) {
        t.excess = lp->x[lp->column_room + row];
        if (t.excess > COMBGPU__TIGHTEN_SLACK) continue;
        teeth = combgpu__branch_tighten_take(&t, row);
        if (!teeth) continue;
        combgpu__branch_tighten_improve(&t);
        if (t.excess < -4 * COMBGPU__CUT_LEAST) combgpu__branch_cut_offer(s, teeth);
    }
}

/* Adds cuts that the point violates and returns their number. */
COMBGPU__PRIVATE int combgpu__branch_cut_separate(combgpu__branch_support *s)
{
    int levels = s->lp->nodes > COMBGPU__CUT_LARGE ? 8 : 2, level;
    s->added = 0;
    combgpu__branch_support_divide(s, 0);
    for (level = 0; s->parts > 1 && level < s->parts; level++)
        combgpu__branch_cut_offer_part(s, level);
    if (s->parts > 1) return s->added;
    combgpu__branch_support_divide(s, 1 - 1e-6);
    combgpu__branch_support_shrink(s);
    combgpu__branch_cut_subtours(s);
    if (s->added > 2) return s->added;
    combgpu__branch_support_divide(s, 2);
    combgpu__branch_cut_blossoms(s, 40);
    combgpu__branch_support_divide(s, 1 - 1e-6);
    combgpu__branch_support_shrink(s);
    combgpu__branch_cut_blossoms(s, 40);
    for (level = 0; level < levels && combgpu__branch_support_triangle(s); level++) {
        combgpu__branch_support_shrink(s);
        if (level % 2 || level < 2) combgpu__branch_cut_blossoms(s, 40);
    }
    combgpu__branch_cut_tighten(s, 60);
    return s->added;
}
