/* Separation: cutting planes that a fractional point violates. */

#define COMBGPU__CUT_LEAST 0.01 /* of a violation */
#define COMBGPU__CUT_MANY 150   /* nodes above which a tree's size is not estimated */
#define COMBGPU__CUT_LARGE 250  /* nodes above which cuts get more rounds, and trials more pivots */

/* The point as a graph, shrunk step by step, and the memory of the searches. */
typedef struct combgpu__branch_support {
    combgpu__branch_lp *lp;
    int nodes, edges;
    uint16_t *ends; /* of the edges above 0, two each */
    double *value;
    int parts;       /* of the shrunk graph */
    int32_t *part;   /* of each node */
    double *between; /* parts * parts: sums of values */
    /* arcs of the flow network and its residues; arc k ^ 1 goes back */
    int32_t *arc_begin, *arc_to, *arcs_of, *queue, *reached, *parent;
    double *capacity, *residue;
    unsigned char *inside; /* parts of a set */
    unsigned char *handle; /* of each node: in the handle */
    int32_t *tooth;        /* of each node: the number of its tooth, or 0 */
    int32_t *teeth;        /* pairs of parts */
    int32_t *order;
    double *key;
    int added;
} combgpu__branch_support;

/* Lays out the arrays at `memory`, unless that is NULL, and returns their size. */
COMBGPU__PRIVATE size_t combgpu__branch_support_layout(combgpu__branch_support *s, int nodes,
                                                       int columns, void *memory)
{
    size_t n = (size_t)nodes, m = (size_t)columns, bytes = 0;
    COMBGPU__LAY(s->ends, uint16_t, 2 * m);
    COMBGPU__LAY(s->value, double, m);
    COMBGPU__LAY(s->part, int32_t, n);
    COMBGPU__LAY(s->between, double, n *n);
    COMBGPU__LAY(s->arc_begin, int32_t, n + 1);
    COMBGPU__LAY(s->arc_to, int32_t, 2 * m);
    COMBGPU__LAY(s->arcs_of, int32_t, 2 * m);
    COMBGPU__LAY(s->capacity, double, 2 * m);
    COMBGPU__LAY(s->residue, double, 2 * m);
    COMBGPU__LAY(s->queue, int32_t, n);
    COMBGPU__LAY(s->reached, int32_t, n);
    COMBGPU__LAY(s->parent, int32_t, n);
    COMBGPU__LAY(s->inside, unsigned char, n);
    COMBGPU__LAY(s->handle, unsigned char, n);
    COMBGPU__LAY(s->tooth, int32_t, n);
    COMBGPU__LAY(s->order, int32_t, n);
    COMBGPU__LAY(s->teeth, int32_t, 2 * m);
    COMBGPU__LAY(s->key, double, n);
    return bytes;
}

/* Adds the cut of s->handle and s->tooth, `teeth` of them, if the point violates it. */
COMBGPU__PRIVATE int combgpu__branch_cut_offer(combgpu__branch_support *s, int teeth)
{
    combgpu__branch_lp *lp = s->lp;
    int size = 0, covered = 0, turned, i;
    double sum = 0;
    unsigned char *sets;
    if (lp->rows == lp->row_room || teeth > COMBGPU__LP_MOST_TEETH) return 0;
    sets = combgpu__branch_lp_sets(lp, lp->rows);
    for (i = 0; i < s->nodes; i++) {
        size += s->handle[i];
        covered += s->tooth[i] != 0;
    }
    turned = 2 * size > s->nodes; /* the complement is the same cut */
    for (i = 0; i < s->nodes; i++)
        sets[i] = (unsigned char)((s->handle[i] ^ turned) + 2 * s->tooth[i]);
    lp->kind[lp->rows - lp->nodes] = COMBGPU__LP_COMB;
    lp->right[lp->rows] = 2 * covered - (teeth ? 3 * teeth + 1 : 2);
    for (i = 0; i < s->edges; i++)
        sum += s->value[i] *
               combgpu__branch_lp_coefficient(lp, lp->rows, s->ends[2 * i], s->ends[2 * i + 1]);
    if (size < 2 || size > s->nodes - 2 || sum < lp->right[lp->rows] + 2 * COMBGPU__CUT_LEAST ||
        !combgpu__branch_lp_add(lp))
        return 0;
    s->added++;
    return 1;
}

/* Offers the subtour constraint of a part. */
COMBGPU__PRIVATE void combgpu__branch_cut_offer_part(combgpu__branch_support *s, int part)
{
    int i;
    for (i = 0; i < s->nodes; i++) {
        s->handle[i] = s->part[i] == part;
        s->tooth[i] = 0;
    }
    combgpu__branch_cut_offer(s, 0);
}

/* Takes the point. Lists its edges at each node: s->arc_to, values in s->residue, from s->arc_begin on. */
COMBGPU__PRIVATE void combgpu__branch_support_take(combgpu__branch_support *s)
{
    const combgpu__branch_lp *lp = s->lp;
    int i, j, k;
    s->nodes = lp->nodes;
    s->edges = 0;
    memset(s->arc_begin, 0, (size_t)(s->nodes + 1) * sizeof *s->arc_begin);
    for (j = 0; j < lp->columns; j++) {
        if (lp->x[j] < 1e-6) continue;
        for (k = 0; k < 2; k++) {
            s->ends[2 * s->edges + k] = lp->ends[2 * j + k];
            s->arc_begin[lp->ends[2 * j + k]]++;
        }
        s->value[s->edges++] = lp->x[j];
    }
    for (i = 1; i <= s->nodes; i++)
        s->arc_begin[i] += s->arc_begin[i - 1];
    for (i = 0; i < 2 * s->edges; i++) {
        int at = --s->arc_begin[s->ends[i]];
        s->arc_to[at] = s->ends[i ^ 1];
        s->residue[at] = s->value[i / 2];
    }
}

/* Takes the point; nodes that edges of value above `least` connect become a part. */
COMBGPU__PRIVATE void combgpu__branch_support_divide(combgpu__branch_support *s, double least)
{
    double *w = s->between;
    int n = s->lp->nodes, first, i, k;
    combgpu__branch_support_take(s);
    s->parts = 0;
    for (i = 0; i < n; i++)
        s->part[i] = -1;
    for (first = 0; first < n; first++) {
        int head = 0, tail = 0;
        if (s->part[first] >= 0) continue;
        s->part[s->queue[tail++] = first] = s->parts;
        for (; head < tail; head++)
            for (i = s->queue[head], k = s->arc_begin[i]; k < s->arc_begin[i + 1]; k++)
                if (s->part[s->arc_to[k]] < 0 && s->residue[k] > least)
                    s->part[s->queue[tail++] = s->arc_to[k]] = s->parts;
        s->parts++;
    }
    for (i = 0; i < s->parts; i++)
        memset(w + i * n, 0, (size_t)s->parts * sizeof *w);
    for (i = 0; i < s->edges; i++) {
        int a = s->part[s->ends[2 * i]], b = s->part[s->ends[2 * i + 1]];
        if (a == b) continue;
        w[a * n + b] += s->value[i];
        w[b * n + a] += s->value[i];
    }
}

/* Joins part b to a; the last part takes b's number. */
COMBGPU__PRIVATE void combgpu__branch_support_join(combgpu__branch_support *s, int a, int b)
{
    double *w = s->between;
    int n = s->nodes, last = --s->parts, i;
    for (i = 0; i <= last; i++)
        if (i != a && i != b) {
            w[a * n + i] += w[b * n + i];
            w[i * n + a] = w[a * n + i];
        }
    for (i = 0; i < last; i++)
        if (i != b) w[b * n + i] = w[i * n + b] = w[last * n + i];
    w[b * n + b] = 0;
    for (i = 0; i < n; i++)
        s->part[i] = s->part[i] == b ? a : s->part[i] == last ? b : s->part[i];
}

/* Joins parts between which the value is 1, until there are none. */
COMBGPU__PRIVATE void combgpu__branch_support_shrink(combgpu__branch_support *s)
{
    int n = s->nodes, a, b, joined = 1;
    while (joined && s->parts > 2)
        for (joined = 0, a = 0; a < s->parts && s->parts > 2; a++)
            for (b = a + 1; b < s->parts && s->parts > 2; b++)
                if (s->between[a * n + b] > 1 - 1e-6) {
                    combgpu__branch_support_join(s, a, b--);
                    joined = 1;
                }
}

/* Joins one triangle of parts with a value of 2. */
COMBGPU__PRIVATE int combgpu__branch_support_triangle(combgpu__branch_support *s)
{
    const double *w = s->between;
    int n = s->nodes, a, b, c;
    for (a = 0; s->parts > 4 && a < s->parts; a++)
        for (b = a + 1; b < s->parts; b++) {
            if (w[a * n + b] < 1e-6) continue;
            for (c = b + 1; c < s->parts; c++)
                if (w[a * n + b] + w[a * n + c] + w[b * n + c] > 2 - 1e-6) {
                    combgpu__branch_support_join(s, a, c);
                    combgpu__branch_support_join(s, a, b);
                    return 1;
                }
        }
    return 0;
}

/* Subtour constraints by minimum cuts (M. Stoer and F. Wagner, 1994): each phase whose cut is below
   2 gives one. Leaves one part. */
COMBGPU__PRIVATE void combgpu__branch_cut_subtours(combgpu__branch_support *s)
{
    int n = s->nodes, i;
    while (s->parts > 1) {
        int last = -1, before = -1, count;
        for (i = 0; i < s->parts; i++) {
            s->key[i] = 0;
            s->inside[i] = 0;
        }
        for (count = 0; count < s->parts; count++) {
            int next = -1;
            for (i = 0; i < s->parts; i++)
                if (!s->inside[i] && (next < 0 || s->key[i] > s->key[next])) next = i;
            s->inside[next] = 1;
            before = last;
            last = next;
            for (i = 0; i < s->parts; i++)
                if (!s->inside[i]) s->key[i] += s->between[next * n + i];
        }
        if (s->key[last] < 2 - COMBGPU__CUT_LEAST) combgpu__branch_cut_offer_part(s, last);
        combgpu__branch_support_join(s, before < last ? before : last,
                                     before < last ? last : before);
    }
}

/* ---- combs: blossoms of the shrunk graph */

/* A value's distance from a whole number: what an edge adds to a blossom that it crosses. */
COMBGPU__PRIVATE double combgpu__branch_cut_slack(double value)
{
    return value > 0.5 ? 1 - value : value;
}

/* Builds the network of the edges whose value is no whole number. */
COMBGPU__PRIVATE void combgpu__branch_flow_network(combgpu__branch_support *s)
{
    int n = s->nodes, arcs = 0, a, b;
    memset(s->arc_begin, 0, (size_t)(s->parts + 1) * sizeof *s->arc_begin);
    for (a = 0; a < s->parts; a++)
        for (b = a + 1; b < s->parts; b++) {
            double capacity = combgpu__branch_cut_slack(s->between[a * n + b]);
            if (capacity > 1e-6) {
                s->capacity[arcs] = s->capacity[arcs + 1] = capacity;
                s->arc_to[arcs++] = b;
                s->arc_to[arcs++] = a;
                s->arc_begin[a]++;
                s->arc_begin[b]++;
            }
        }
    for (a = 1; a <= s->parts; a++)
        s->arc_begin[a] += s->arc_begin[a - 1];
    while (arcs--)
        s->arcs_of[--s->arc_begin[s->arc_to[arcs ^ 1]]] = arcs;
}

/* Finds a minimum cut between two parts; s->inside gets the side of `from`. Returns 0 as soon as it must
   be 1 or more. */
COMBGPU__PRIVATE int combgpu__branch_flow_cut(combgpu__branch_support *s, int from, int to)
{
    double flow = 0;
    int k;
    memcpy(s->residue, s->capacity, (size_t)s->arc_begin[s->parts] * sizeof *s->residue);
    while (flow < 1 - 1e-6) { /* shortest paths (J. Edmonds and R. M. Karp, 1972) */
        int head = 0, tail = 0, at;
        double least = HUGE_VAL;
        memset(s->inside, 0, (size_t)s->parts);
        s->inside[from] = 1;
        s->queue[tail++] = from;
        while (head < tail && !s->inside[to]) {
            at = s->queue[head++];
            for (k = s->arc_begin[at]; k < s->arc_begin[at + 1]; k++) {
                int arc = s->arcs_of[k], next = s->arc_to[arc];
                if (s->inside[next] || s->residue[arc] < 1e-9) continue;
                s->inside[next] = 1;
                s->reached[next] = arc;
                s->queue[tail++] = next;
            }
        }
        if (!s->inside[to]) return 1;
        for (at = to; at != from; at = s->arc_to[s->reached[at] ^ 1])
            if (s->residue[s->reached[at]] < least) least = s->residue[s->reached[at]];
        for (at = to; at != from; at = s->arc_to[s->reached[at] ^ 1]) {
            s->residue[s->reached[at]] -= least;
            s->residue[s->reached[at] ^ 1] += least;
        }
        flow += least;
    }
    return 0;
}

/* Lists the edges that the best blossom of the set s->inside counts as teeth, two parts each in
   s->teeth: those above a half, with one more or less if they are even in number. Returns the
   number; 0 if the blossom is not violated. */
COMBGPU__PRIVATE int combgpu__branch_cut_teeth(combgpu__branch_support *s)
{
    int n = s->nodes, teeth = 0, flip = -1, a, b;
    double sum = 0, least = HUGE_VAL;
    for (a = 0; a < s->parts; a++)
        for (b = 0; s->inside[a] && b < s->parts; b++) {
            double value = s->between[a * n + b];
            if (s->inside[b] || value < 1e-6) continue;
            if (value > 0.5) {
                s->teeth[2 * teeth] = a;
                s->teeth[2 * teeth++ + 1] = b;
            }
            sum += combgpu__branch_cut_slack(value);
            if (fabs(2 * value - 1) >= least) continue;
            least = fabs(2 * value - 1);
            flip = value > 0.5 ? 2 * teeth - 2 : -2;
            s->queue[0] = a;
            s->queue[1] = b;
        }
    if (teeth % 2) return sum < 1 - COMBGPU__CUT_LEAST ? teeth : 0;
    if (flip == -1 || sum + least > 1 - COMBGPU__CUT_LEAST) return 0;
    if (flip >= 0) {
        teeth--;
        s->teeth[flip] = s->teeth[2 * teeth];
        s->teeth[flip + 1] = s->teeth[2 * teeth + 1];
    } else {
        s->teeth[2 * teeth] = s->queue[0];
        s->teeth[2 * teeth++ + 1] = s->queue[1];
    }
    return teeth;
}

/* Offers the best blossom of the set s->inside as a comb. A part in two teeth changes sides, and
   both are teeth no more, which saves as much as it costs: parts have value 2 to the rest. */
COMBGPU__PRIVATE void combgpu__branch_cut_blossom(combgpu__branch_support *s)
{
    int teeth = combgpu__branch_cut_teeth(s), k = 0, i;
    int32_t *tooth_of = s->order; /* of each part: 1 + its tooth, or 0 */
    memset(tooth_of, 0, (size_t)s->parts * sizeof *tooth_of);
    while (k < teeth) {
        const int32_t *pair = s->teeth + 2 * k;
        int twice = tooth_of[pair[0]] ? pair[0] : tooth_of[pair[1]] ? pair[1] : -1, drop[2];
        if (twice < 0) {
            tooth_of[pair[0]] = tooth_of[pair[1]] = ++k;
            continue;
        }
        s->inside[twice] = !s->inside[twice];
        drop[0] = k;
        drop[1] = tooth_of[twice] - 1;
        for (i = 0; i < 2; i++) { /* the later one first */
            teeth--;
            s->teeth[2 * drop[i]] = s->teeth[2 * teeth];
            s->teeth[2 * drop[i] + 1] = s->teeth[2 * teeth + 1];
        }
        memset(tooth_of, 0, (size_t)s->parts * sizeof *tooth_of);
        k = 0;
    }
    if (teeth <= 0 || teeth % 2 == 0) return;
    for (i = 0; i < s->nodes; i++) {
        s->handle[i] = s->inside[s->part[i]];
        s->tooth[i] = teeth > 1 ? tooth_of[s->part[i]] : 0;
    }
    combgpu__branch_cut_offer(s, teeth == 1 ? 0 : teeth);
}

/* Blossoms by minimum cuts between all parts (D. Gusfield, 1990; A. N. Letchford, G. Reinelt and
   D. O. Theis, 2008: with these capacities, a cut of their tree shows the most violated one). Parts that no
   cut below 1 separates stay together in the tree. */
COMBGPU__PRIVATE void combgpu__branch_cut_blossoms(combgpu__branch_support *s, int most)
{
    int i, j, before = s->added;
    combgpu__branch_flow_network(s);
    for (i = 0; i < s->parts; i++)
        s->parent[i] = 0;
    for (i = 1; i < s->parts && s->added - before < most; i++) {
        if (s->arc_begin[i] == s->arc_begin[i + 1] || !combgpu__branch_flow_cut(s, i, s->parent[i]))
            continue;
        for (j = i + 1; j < s->parts; j++)
            if (s->inside[j] && s->parent[j] == s->parent[i]) s->parent[j] = i;
        combgpu__branch_cut_blossom(s);
    }
}
