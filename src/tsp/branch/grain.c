/* The grain of tour lengths: by how much a better tour is better, at least. */

/* The least nonnegative number that differs from `a` by a multiple of `modulus`. */
COMBGPU__PRIVATE int64_t combgpu__branch_modulo(int64_t a, int64_t modulus)
{
    int64_t rest = a % modulus;
    return rest < 0 ? rest + modulus : rest;
}

/* What tour lengths have in common: all are `sum` plus a multiple of `modulus`; 0: all are `sum`. */
typedef struct combgpu__branch_residue {
    int64_t modulus, sum;
} combgpu__branch_residue;

/* The head of an edge as an arc that leaves `node` (tail = 1), or its tail if the arc enters it;
   -1 if no tour takes the edge that way. */
COMBGPU__PRIVATE int combgpu__branch_across(const combgpu__branch_graph *graph, int edge, int node,
                                            int tail)
{
    int u = graph->ends[2 * edge], v = graph->ends[2 * edge + 1];
    if (graph->directed && (u < graph->cities || (node >= graph->cities) != tail)) return -1;
    return u == node ? v : u;
}

/* A tour leaves and enters each city once. So if every arc weighs out[tail] + in[head], up to
   multiples of a modulus, all tours are equally long up to multiples of it. A spanning forest of
   the graph of tails and heads gives the potentials, its other arcs the largest modulus. On points
   of a grid it is at least 2: closed walks are even. Overwrites the stack of `work`. */
COMBGPU__PRIVATE combgpu__branch_residue combgpu__branch_modulus(const combgpu__branch_graph *graph,
                                                                 combgpu__branch_work *work)
{
    combgpu__branch_residue residue = {0, 0};
    int64_t *potential[2] = {work->best, work->ascent}; /* of heads, of tails */
    int32_t *seen[2] = {work->place, work->rank};
    uint32_t *queue = work->stack;
    int nodes = graph->nodes, first, i;
    for (i = 0; i < nodes; i++)
        seen[0][i] = seen[1][i] = 0;
    for (first = 0; first < 2 * nodes; first++) {
        int count = 0;
        if (seen[first & 1][first >> 1]) continue;
        seen[first & 1][first >> 1] = 1;
        potential[first & 1][first >> 1] = 0;
        queue[count++] = (uint32_t)first;
        while (count) {
            int node = (int)queue[--count] >> 1, tail = queue[count] & 1;
            for (i = graph->incident_begin[node]; i < graph->incident_begin[node + 1]; i++) {
                int edge = graph->incident[i];
                int other = combgpu__branch_across(graph, edge, node, tail);
                int64_t rest = graph->weights[edge] - potential[tail][node];
                if (other < 0 || work->marks[edge] == COMBGPU__EDGE_FORBIDDEN) continue;
                if (seen[!tail][other]) {
                    rest -= potential[!tail][other];
                    residue.modulus = combgpu__gcd(residue.modulus, rest);
                    if (graph->integral && residue.modulus == graph->divisor)
                        return residue; /* as all lengths */
                    continue;
                }
                seen[!tail][other] = 1;
                potential[!tail][other] = rest;
                queue[count++] = 2 * (uint32_t)other + !tail;
            }
        }
    }
    for (i = 0; i < 2 * nodes; i++) {
        int64_t more = potential[i & 1][i >> 1];
        if (graph->directed && (i & 1) != (i >> 1 >= graph->cities)) continue;
        residue.sum += residue.modulus ? more % residue.modulus : more;
    }
    if (residue.modulus) residue.sum = combgpu__branch_modulo(residue.sum, residue.modulus);
    return residue;
}

/* Nonzero if a tour can be this long. */
COMBGPU__PRIVATE int combgpu__branch_agrees(combgpu__branch_residue residue, int64_t length)
{
    return residue.modulus ? (length - residue.sum) % residue.modulus == 0 : length == residue.sum;
}

/* Adds to the sums, a bit each, those with any number of the weight `more`. */
COMBGPU__PRIVATE void combgpu__branch_add_multiples(uint64_t *sums, int64_t range, int64_t more)
{
    int64_t i, by, bits, last = range / 64;
    for (; more <= range; more *= 2) /* once, up to 3 times, up to 7 times ... */
        for (by = more / 64, bits = more % 64, i = last; i >= by; i--) {
            sums[i] |= sums[i - by] << bits;
            if (bits && i > by) sums[i] |= sums[i - by - 1] >> (64 - bits);
        }
}

/* The least distance between lengths from the bound to the best tour that are sums of the edges'
   weights, if these are few, as on a lattice; 0 if they are many. Overwrites the stack of `work`. */
COMBGPU__PRIVATE int64_t combgpu__branch_sums(const combgpu__branch_graph *graph,
                                              combgpu__branch_work *work,
                                              combgpu__branch_residue residue)
{
    uint64_t *possible = (uint64_t *)(void *)work->stack, *known; /* sums, and weights */
    size_t room = COMBGPU__BRANCH_STACK * sizeof(uint32_t) *
                  combgpu__branch_task_words(graph->nodes, graph->edges);
    int64_t least = COMBGPU__BRANCH_INFINITE, base = 0, range, gap, last = 0, sum;
    int64_t tries = graph->brief == COMBGPU__BRANCH_MANY ? 10000 : 1 << 19;
    int count = graph->nodes, i;
    for (i = 0; i < graph->edges; i++)
        if (work->marks[i] == COMBGPU__EDGE_FORCED) {
            base += graph->weights[i];
            count--;
        } else if (work->marks[i] == COMBGPU__EDGE_FREE && graph->weights[i] < least)
            least = graph->weights[i];
    if (!graph->integral || count <= 0 || least == COMBGPU__BRANCH_INFINITE) return 0;
    base += count * least; /* the shortest sum */
    range = (work->length - base) / graph->divisor;
    if (range < 1 || range >= (int64_t)room) return 0;
    known = possible + range / 64 + 1;
    memset(possible, 0, 2 * (size_t)(range / 64 + 1) * sizeof *possible);
    possible[0] = 1;
    for (i = 0; i < graph->edges; i++) {
        int64_t more = (graph->weights[i] - least) / graph->divisor;
        if (work->marks[i] != COMBGPU__EDGE_FREE || !more || more > range ||
            known[more / 64] >> more % 64 & 1)
            continue;
        known[more / 64] |= UINT64_C(1) << more % 64;
        tries -= range;
        if (tries < 0) return 0; /* too many different weights */
        combgpu__branch_add_multiples(possible, range, more);
    }
    for (gap = range, sum = 0, last = -range; sum <= range; sum++) {
        int64_t length = base + sum * graph->divisor;
        /* the best tour may have edges already removed */
        if (sum < range &&
            !(possible[sum / 64] >> sum % 64 & 1 && combgpu__branch_agrees(residue, length)))
            continue;
        if (length > graph->bound && sum - last < gap) gap = sum - last;
        last = sum;
    }
    return gap * graph->divisor;
}

/* Raises the grain to what the edges that are left allow. */
COMBGPU__PRIVATE void combgpu__branch_coarsen(combgpu__branch_graph *graph,
                                              combgpu__branch_work *work)
{
    combgpu__branch_residue residue = combgpu__branch_modulus(graph, work);
    int64_t grain = work->length - residue.sum, accumulators;
    if (residue.modulus) {
        grain = combgpu__branch_modulo(grain, residue.modulus);
        if (!grain) grain = residue.modulus;
    } else if (grain <= 0)
        grain = 2 * work->length + 1; /* no tour is shorter */
    accumulators = combgpu__branch_sums(graph, work, residue);
    if (grain > graph->grain) graph->grain = grain;
    if (accumulators > graph->grain) graph->grain = accumulators;
}
