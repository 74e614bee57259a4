/* Separation for asymmetric instances: cutting planes of sequences of cities. */

#define COMBGPU__SEQUENCE_MOST 16     /* cities of a sequence */
#define COMBGPU__SEQUENCE_TRIES 20000 /* per call: sequences that are looked at */

/* A sequence of cities i1 .. ik, of which tours keep
       x(i1, ik) + sum over h = 2 .. k of x(ih, ih-1) + 2 * sum over h = 2 .. k-1 of x(i1, ih)
                 + sum over h = 3 .. k-1 and g = 2 .. h-1 of x(ig, ih)  <=  k - 1
   (M. Groetschel and M. W. Padberg, 1975: D_k), for arcs as they are or all turned round, if there
   are other cities, too. */
typedef struct combgpu__branch_sequence {
    combgpu__branch_support *support;
    int cities, turned, count, tries, best_count;
    int city[COMBGPU__SEQUENCE_MOST], best[COMBGPU__SEQUENCE_MOST];
    double most; /* violation of the best */
} combgpu__branch_sequence;

COMBGPU__PRIVATE double combgpu__branch_sequence_arc(const combgpu__branch_sequence *q, int from,
                                                     int to)
{
    int n = q->cities;
    return q->turned ? q->support->between[(to + n) * 2 * n + from]
                     : q->support->between[(from + n) * 2 * n + to];
}

/* Lists the cities that an arc joins to each city: s->arc_to from s->arc_begin on. */
COMBGPU__PRIVATE void combgpu__branch_sequence_arcs(combgpu__branch_sequence *q)
{
    combgpu__branch_support *s = q->support;
    int n = q->cities, pass, i;
    memset(s->arc_begin, 0, (size_t)(n + 1) * sizeof *s->arc_begin);
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < s->edges; i++) {
            int u = s->ends[2 * i], v = s->ends[2 * i + 1], from = (u > v ? u : v) - n;
            int to = u > v ? v : u;
            if (from == to || (from > to && s->between[(to + n) * 2 * n + from] >= 1e-6)) continue;
            if (pass) {
                s->arc_to[--s->arc_begin[from]] = to;
                s->arc_to[--s->arc_begin[to]] = from;
                continue;
            }
            s->arc_begin[from]++;
            s->arc_begin[to]++;
        }
        for (i = 1; !pass && i <= n; i++)
            s->arc_begin[i] += s->arc_begin[i - 1];
    }
}

COMBGPU__PRIVATE void combgpu__branch_sequence_extend(combgpu__branch_sequence *q, double slack);

/* Appends a city. */
COMBGPU__PRIVATE void combgpu__branch_sequence_append(combgpu__branch_sequence *q, int next,
                                                      double slack)
{
    int count = q->count, i;
    double to_last = combgpu__branch_sequence_arc(q, next, q->city[count - 1]);
    double from_first = combgpu__branch_sequence_arc(q, q->city[0], next);
    for (i = 0; i < count; i++)
        if (q->city[i] == next) return;
    q->tries--;
    q->city[count] = next;
    if (count >= 2 && count + 1 < q->cities && to_last + from_first - slack - 1 > q->most) {
        q->most = to_last + from_first - slack - 1;
        q->best_count = count + 1;
        memcpy(q->best, q->city, sizeof q->best);
    }
    slack += 1 - to_last - 2 * from_first;
    for (i = 1; i < count; i++)
        slack -= combgpu__branch_sequence_arc(q, q->city[i], next);
    if (slack > 1 - COMBGPU__CUT_LEAST || count + 1 == COMBGPU__SEQUENCE_MOST) return;
    q->count++;
    combgpu__branch_sequence_extend(q, slack);
    q->count--;
}

/* Extends the sequence, whose inequality without its last city is `slack` below its right side. */
COMBGPU__PRIVATE void combgpu__branch_sequence_extend(combgpu__branch_sequence *q, double slack)
{
    const combgpu__branch_support *s = q->support;
    int first = q->city[0], last = q->city[q->count - 1], k;
    for (k = s->arc_begin[last]; k < s->arc_begin[last + 1] && q->tries > 0; k++)
        if (combgpu__branch_sequence_arc(q, s->arc_to[k], last) >= 1e-6)
            combgpu__branch_sequence_append(q, s->arc_to[k], slack);
    for (k = s->arc_begin[first]; k < s->arc_begin[first + 1] && q->tries > 0; k++)
        if (combgpu__branch_sequence_arc(q, first, s->arc_to[k]) >= 1e-6 &&
            combgpu__branch_sequence_arc(q, s->arc_to[k], last) < 1e-6)
            combgpu__branch_sequence_append(q, s->arc_to[k], slack);
}

/* Adds the inequality of the best sequence. */
COMBGPU__PRIVATE void combgpu__branch_sequence_offer(const combgpu__branch_sequence *q)
{
    combgpu__branch_support *s = q->support;
    combgpu__branch_lp *lp = s->lp;
    unsigned char *place;
    int i;
    if (lp->rows == lp->row_room) return;
    place = combgpu__branch_lp_sets(lp, lp->rows);
    memset(place, 0, (size_t)lp->nodes);
    for (i = 0; i < q->best_count; i++)
        place[q->best[i]] = (unsigned char)(i + 1);
    for (i = 0; i < q->cities; i++) /* both nodes of a city */
        place[i + q->cities] = place[i];
    lp->kind[lp->rows - lp->nodes] = q->turned ? COMBGPU__LP_TURNED : COMBGPU__LP_SEQUENCE;
    lp->right[lp->rows] = q->best_count - 1;
    s->added += combgpu__branch_lp_add(lp);
}

/* Adds cuts of directed tours that the point violates and returns their number. */
COMBGPU__PRIVATE int combgpu__branch_cut_sequences(combgpu__branch_support *s)
{
    combgpu__branch_sequence q;
    int i;
    memset(&q, 0, sizeof q);
    s->added = 0;
    combgpu__branch_support_divide(s, 2);
    q.support = s;
    q.cities = s->nodes / 2;
    combgpu__branch_sequence_arcs(&q);
    for (q.turned = 0; q.turned < 2; q.turned++)
        for (i = 0; i < q.cities; i++) {
            q.count = 1;
            q.city[0] = i;
            q.most = COMBGPU__CUT_LEAST;
            q.best_count = 0;
            q.tries = COMBGPU__SEQUENCE_TRIES / q.cities;
            combgpu__branch_sequence_extend(&q, 0);
            if (q.best_count) combgpu__branch_sequence_offer(&q);
        }
    return s->added;
}
