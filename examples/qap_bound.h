/* Solves quadratic assignment by branch and bound: n facilities go to n locations, minimising the sum of
   a[i][j] * b[p[i]][p[j]] (T. C. Koopmans, M. Beckmann 1957). The bound is that of P. C. Gilmore (1962) and
   E. L. Lawler (1963): if facility i goes to location k, its flows to the remaining facilities at best pair
   the largest flows with the shortest distances to the remaining locations; an assignment problem (H. W. Kuhn
   1955) chooses one k for each i. */
#ifndef COMBGPU_EXAMPLES_QAP_BOUND_H
#define COMBGPU_EXAMPLES_QAP_BOUND_H

#define QAP_BOUND_MOST 20

/* data: nonzero if all costs are even; then n * n numbers each: a; b; the locations of each row of b,
   farthest first; the facilities of each row of a, least flow first. */
COMBGPU_PERM_SEARCH(
    qap_search, state({
        int64_t cost;
        uint64_t taken;
    }),
    step({
        int i;
        for (i = 0; i <= place; i++) {
            state->cost += (int64_t)combgpu_data_i32(data, 1 + place * n + i) *
                           combgpu_data_i32(data, 1 + (n + value) * n + perm[i]);
            if (i < place)
                state->cost += (int64_t)combgpu_data_i32(data, 1 + i * n + place) *
                               combgpu_data_i32(data, 1 + (n + perm[i]) * n + value);
        }
        state->taken |= (uint64_t)1 << value;
        return 1;
    }),
    leaf({ return state->cost; }), bound({
        int64_t u[21];
        int64_t v[21];
        int64_t least[21];
        int64_t cost[20][20];
        int32_t flows[20] = {0};
        int32_t ways[20][20];
        uint8_t open[20];
        uint8_t match[21];
        uint8_t from[21];
        int m = n - 1 - place;
        int i;
        int j;
        int k;
        int t;
        int64_t sum = state->cost;
        (void)value;
        (void)best;
        if (!m) return sum;
        for (k = i = 0; k < n; k++) { /* open locations, and their distances */
            if (state->taken >> k & 1) continue;
            open[i] = (uint8_t)k;
            for (j = t = 0; j < n; j++) {
                int to = combgpu_data_i32(data, 1 + (2 * n + k) * n + j);
                if (to != k && !(state->taken >> to & 1))
                    ways[i][t++] = combgpu_data_i32(data, 1 + (n + k) * n + to);
            }
            i++;
        }
        for (i = 0; i < m; i++) {
            int facility = place + 1 + i;
            for (j = t = 0; j < n; j++) {
                int to = combgpu_data_i32(data, 1 + (3 * n + facility) * n + j);
                if (to > place && to != facility)
                    flows[t++] = combgpu_data_i32(data, 1 + facility * n + to);
            }
            for (k = 0; k < m; k++) {
                int64_t c = (int64_t)combgpu_data_i32(data, 1 + facility * n + facility) *
                            combgpu_data_i32(data, 1 + (n + open[k]) * n + open[k]);
                for (j = 0; j <= place; j++)
                    c += (int64_t)combgpu_data_i32(data, 1 + facility * n + j) *
                             combgpu_data_i32(data, 1 + (n + open[k]) * n + perm[j]) +
                         (int64_t)combgpu_data_i32(data, 1 + j * n + facility) *
                             combgpu_data_i32(data, 1 + (n + perm[j]) * n + open[k]);
                for (j = 0; j < m - 1; j++)
                    c += (int64_t)flows[j] * ways[k][j];
                cost[i][k] = c;
            }
        }
        for (j = 0; j <= m; j++) { /* the assignment, by shortest augmenting paths */
            u[j] = v[j] = 0;
            match[j] = (uint8_t)m;
        }
        for (i = 0; i < m; i++) {
            uint32_t used = 0;
            match[m] = (uint8_t)i;
            j = m;
            for (k = 0; k < m; k++) {
                least[k] = (int64_t)1 << 60;
                from[k] = (uint8_t)m;
            }
            do {
                int64_t delta = (int64_t)1 << 60;
                int next = m;
                used |= 1u << j;
                t = match[j];
                for (k = 0; k < m; k++) {
                    int64_t c;
                    if (used >> k & 1) continue;
                    c = cost[t][k] - u[t] - v[k];
                    if (c < least[k]) {
                        least[k] = c;
                        from[k] = (uint8_t)j;
                    }
                    if (least[k] < delta) {
                        delta = least[k];
                        next = k;
                    }
                }
                for (k = 0; k <= m; k++)
                    if (used >> k & 1) {
                        u[match[k]] += delta;
                        v[k] -= delta;
                    } else if (k < m)
                        least[k] -= delta;
                j = next;
            } while (match[j] != m);
            do {
                match[j] = match[from[j]];
                j = from[j];
            } while (j != m);
        }
        for (k = 0; k < m; k++)
            sum += cost[match[k]][k];
        /* every cost of a symmetric instance with a zero diagonal is even */
        return combgpu_data_i32(data, 0) ? sum + (sum & 1) : sum;
    }))

/* Renumbers the facilities, facility[new] = old: each after the first has the largest flow to those before
   it, so that costs arise early. */
static void qap_order(int n, const int32_t *a, uint8_t *facility)
{
    int64_t flow[QAP_BOUND_MOST], most;
    int i, j, next;
    for (i = 0; i < n; i++)
        for (flow[i] = j = 0; j < n; j++)
            flow[i] += (int64_t)a[i * n + j] + a[j * n + i];
    for (j = 0; j < n; j++) {
        for (next = -1, most = 0, i = 0; i < n; i++)
            if (flow[i] > INT64_MIN && (next < 0 || flow[i] > most)) most = flow[next = i];
        facility[j] = (uint8_t)next;
        flow[next] = INT64_MIN;
        for (i = 0; i < n; i++)
            if (flow[i] > INT64_MIN)
                flow[i] += 1000000 * ((int64_t)a[i * n + next] + a[next * n + i]);
    }
}

/* Fills 1 + 4 * n * n numbers of data. */
static void qap_fill(int n, const int32_t *a, const int32_t *b, const uint8_t *facility,
                     int32_t *data)
{
    int32_t *flows = data + 1, *ways = flows + n * n;
    int i, j, k, t, even = 1;
    for (i = 0; i < n * n; i++) {
        flows[i] = a[facility[i / n] * n + facility[i % n]];
        ways[i] = b[i];
        even &= a[i] == a[i % n * n + i / n] && b[i] == b[i % n * n + i / n];
        if (i % (n + 1) == 0) even &= !a[i];
    }
    data[0] = even;
    for (t = 0; t < 2; t++)
        for (i = 0; i < n; i++) {
            int32_t *row = data + 1 + (2 + t) * n * n + i * n;
            const int32_t *key = t ? flows + i * n : ways + i * n;
            for (j = 0; j < n; j++) {
                for (k = j; k && (t ? key[row[k - 1]] > key[j] : key[row[k - 1]] < key[j]); k--)
                    row[k] = row[k - 1];
                row[k] = j;
            }
        }
}

static int64_t qap_cost_of(int n, const int32_t *data, const uint8_t *perm)
{
    int64_t sum = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            sum += (int64_t)data[1 + i * n + j] * data[1 + (n + perm[i]) * n + perm[j]];
    return sum;
}

/* Finds a good first assignment: exchanges two facilities as long as that helps, from several starts. */
static void qap_start(int n, const int32_t *data, uint8_t *best)
{
    uint8_t perm[QAP_BOUND_MOST], swap;
    int64_t least = INT64_MAX, cost, next;
    int k, i, j, better;
    for (k = 0; k < 40; k++) {
        combgpu_perm_random(NULL, n, 1, (uint64_t)k, perm);
        cost = qap_cost_of(n, data, perm);
        do {
            for (better = 0, i = 0; i < n; i++)
                for (j = 0; j < i; j++) {
                    swap = perm[i], perm[i] = perm[j], perm[j] = swap;
                    next = qap_cost_of(n, data, perm);
                    if (next < cost)
                        cost = next, better = 1;
                    else
                        swap = perm[i], perm[i] = perm[j], perm[j] = swap;
                }
        } while (better);
        if (cost < least) {
            least = cost;
            memcpy(best, perm, (size_t)n);
        }
    }
}

#endif
