/* Lists the k shortest tours, and counts the shortest.

   A task is the last middle city b of the orders (src/tsp/instance/state.c). For it dynamic programming over
   sets tells, for every city c and set T of cities left, the least cost of going from c through T
   to b and on to the end, and how many ways cost that (M. Held and R. M. Karp, 1962). Then a search
   lists the orders; it only follows beginnings that can still be among the k best: each of these
   leads to an order. Where a tour and its reverse are the same, the first city is smaller than b.
   The kernel (src/tsp/shortest/solve.cl) has the same table and makes the list in another way. */

#define COMBGPU__SHORTEST_FAR ((int64_t)1 << 62)

/* Words of combgpu__accumulators(job) after the totals: the number of shortest tours, entries of the list,
   the list: length and order of each, 4 bits a city, the first one highest. */
#define COMBGPU__SHORTEST_SUM_OPTIMA COMBGPU__TOTALS
#define COMBGPU__SHORTEST_SUM_COUNT (COMBGPU__TOTALS + 1)
#define COMBGPU__SHORTEST_SUM_LIST (COMBGPU__TOTALS + 2)

typedef struct combgpu__shortest {
    combgpu__tsp form;
    combgpu_tsp_tours_desc desc;
    uint32_t before[COMBGPU__TSP_MOST]; /* middle cities that must come before */
    int keep;                           /* tours to list, at least 1 */
} combgpu__shortest;

typedef struct combgpu__shortest_entry {
    uint64_t length, order;
} combgpu__shortest_entry;

/* A worker's memory for one task: the cities but b, numbered anew. */
typedef struct combgpu__shortest_work {
    int m, last, cities; /* cities = m - 1 */
    int number[COMBGPU__TSP_MOST];
    uint32_t before[COMBGPU__TSP_MOST];
    int64_t first[COMBGPU__TSP_MOST], legs[COMBGPU__TSP_MOST][COMBGPU__TSP_MOST];
    int64_t *least; /* [T * cities + c] */
    uint64_t *ways;
    combgpu__shortest_entry *list; /* in order */
    int count, keep;
} combgpu__shortest_work;

COMBGPU__PRIVATE int combgpu__shortest_less(const combgpu__shortest_entry *a,
                                            const combgpu__shortest_entry *b)
{
    return a->length < b->length || (a->length == b->length && a->order < b->order);
}

/* Puts a tour in its place of a sorted list, if it is among the `keep` best. */
COMBGPU__PRIVATE void combgpu__shortest_insert(combgpu__shortest_entry *list, int *count, int keep,
                                               combgpu__shortest_entry entry)
{
    int low = 0, high = *count;
    if (high == keep && !combgpu__shortest_less(&entry, &list[high - 1])) return;
    while (low < high) {
        int middle = (low + high) / 2;
        if (combgpu__shortest_less(&list[middle], &entry))
            low = middle + 1;
        else
            high = middle;
    }
    if (*count < keep) ++*count;
    memmove(list + low + 1, list + low, (size_t)(*count - 1 - low) * sizeof *list);
    list[low] = entry;
}

/* Computes least and ways. */
COMBGPU__PRIVATE void combgpu__shortest_table(combgpu__shortest_work *w, int64_t ending)
{
    uint32_t all = (1u << w->cities) - 1, set, rest;
    int c, j;
    for (set = 0; set <= all; set++)
        for (c = 0; c < w->cities; c++) {
            int64_t least = set ? COMBGPU__SHORTEST_FAR : w->legs[c][w->cities] + ending;
            uint64_t ways = !set;
            if (set >> c & 1) continue;
            for (rest = set; rest; rest &= rest - 1) {
                size_t at;
                int64_t cost;
                j = combgpu__lowest_bit64(rest);
                if (w->before[j] & set) continue;
                at = (size_t)(set ^ 1u << j) * (size_t)w->cities + (size_t)j;
                if (w->least[at] == COMBGPU__SHORTEST_FAR) continue;
                cost = w->legs[c][j] + w->least[at];
                if (cost > least) continue;
                ways = cost < least ? w->ways[at] : ways + w->ways[at];
                least = cost;
            }
            w->least[(size_t)set * (size_t)w->cities + (size_t)c] = least;
            w->ways[(size_t)set * (size_t)w->cities + (size_t)c] = ways;
        }
}

/* Lists the orders that continue from city c with the cities of `left`. `order` has the cities so
   far, the first one highest. */
COMBGPU__PRIVATE void combgpu__shortest_follow(combgpu__shortest_work *w, int c, uint32_t left,
                                               int64_t cost, uint64_t order, int place)
{
    int64_t least = w->least[(size_t)left * (size_t)w->cities + (size_t)c];
    combgpu__shortest_entry entry;
    uint32_t rest;
    if (least == COMBGPU__SHORTEST_FAR) return;
    entry.length = (uint64_t)(cost + least);
    entry.order = order; /* no order with this beginning is smaller */
    if (w->count == w->keep && !combgpu__shortest_less(&entry, &w->list[w->count - 1])) return;
    if (!left) {
        entry.order |= (uint64_t)w->last << 4 * (w->m - 1 - place);
        combgpu__shortest_insert(w->list, &w->count, w->keep, entry);
        return;
    }
    for (rest = left; rest; rest &= rest - 1) {
        int j = combgpu__lowest_bit64(rest);
        if (!(w->before[j] & left))
            combgpu__shortest_follow(w, j, left ^ 1u << j, cost + w->legs[c][j],
                                     order | (uint64_t)w->number[j] << 4 * (w->m - 1 - place),
                                     place + 1);
    }
}

/* Sets up the worker's memory for orders that end with city b. */
COMBGPU__PRIVATE void combgpu__shortest_prepare(const combgpu__shortest *tours, int b, void *memory,
                                                combgpu__shortest_work *w)
{
    const combgpu__tsp *form = &tours->form;
    size_t entries;
    int i, j, k;
    memset(w, 0, sizeof *w);
    w->m = form->m;
    w->last = b;
    for (i = 0; i < form->m; i++)
        if (i != b) w->number[w->cities++] = i;
    w->number[w->cities] = b;
    for (i = 0; i < w->cities; i++) {
        w->first[i] = form->first[w->number[i]];
        for (j = 0; j <= w->cities; j++)
            w->legs[i][j] = form->legs[w->number[i] * COMBGPU__TSP_MOST + w->number[j]];
        for (k = 0; k < w->cities; k++)
            w->before[i] |= (tours->before[w->number[i]] >> w->number[k] & 1) << k;
    }
    entries = (size_t)w->cities << w->cities;
    w->least = (int64_t *)memory;
    w->ways = (uint64_t *)memory + entries;
    w->list = (combgpu__shortest_entry *)(void *)(w->ways + entries);
    w->keep = tours->keep;
}

COMBGPU__PRIVATE size_t combgpu__shortest_work_bytes(int m, int keep)
{
    size_t entries = m > 1 ? (size_t)(m - 1) << (m - 1) : 0;
    return entries * (sizeof(int64_t) + sizeof(uint64_t)) +
           (size_t)(keep + 1) * sizeof(combgpu__shortest_entry);
}

/* Does a task: lists the best orders that end with city b. Returns how many have the least
   length. */
COMBGPU__PRIVATE uint64_t combgpu__shortest_task(const combgpu__shortest *tours, int b,
                                                 void *memory, combgpu__shortest_work *w)
{
    uint64_t ways = 0;
    int64_t least = COMBGPU__SHORTEST_FAR;
    uint32_t all;
    int i;
    combgpu__shortest_prepare(tours, b, memory, w);
    for (i = 0; i < w->m; i++)
        if (tours->before[i] >> b & 1) return 0;
    if (w->m == 1) {
        combgpu__shortest_entry entry;
        entry.length = (uint64_t)(tours->form.first[0] + tours->form.last[0]);
        entry.order = 0;
        combgpu__shortest_insert(w->list, &w->count, w->keep, entry);
        return 1;
    }
    all = (1u << w->cities) - 1;
    combgpu__shortest_table(w, tours->form.last[b]);
    for (i = 0; i < w->cities; i++) {
        size_t at = (size_t)(all ^ 1u << i) * (size_t)w->cities + (size_t)i;
        int64_t cost = w->first[i] + w->least[at];
        if ((tours->form.reversible && w->number[i] > b) || w->before[i] ||
            w->least[at] == COMBGPU__SHORTEST_FAR)
            continue;
        if (cost <= least) {
            ways = cost < least ? w->ways[at] : ways + w->ways[at];
            least = cost;
        }
        combgpu__shortest_follow(w, i, all ^ 1u << i, w->first[i],
                                 (uint64_t)w->number[i] << 4 * (w->m - 1), 1);
    }
    return ways;
}

COMBGPU__PRIVATE void combgpu__shortest_solve(combgpu__worker *worker)
{
    const combgpu__shortest *tours = (const combgpu__shortest *)combgpu__state(worker->job);
    size_t bytes = combgpu__desc(worker->job)->cpu_work_bytes_per_worker;
    combgpu__shortest_work w;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t ways = combgpu__shortest_task(tours, (int)task[0],
                                               (char *)worker->work + worker->index * bytes, &w);
        int i;
        for (i = 0; i < w.count; i++) { /* the records of all tasks have room */
            uint32_t record[COMBGPU__SHORTEST_RECORD_WORDS];
            combgpu__put64(record, w.list[i].length);
            combgpu__put64(record + 2, w.list[i].order);
            combgpu__put64(record + 4, i ? 0 : ways);
            combgpu__emit(worker, record);
            worker->totals[COMBGPU__SHORTEST_S_HASH] +=
                combgpu__mix(combgpu__mix(w.list[i].length) + w.list[i].order);
        }
        worker->totals[0] += 1 + ((uint64_t)w.cities << w.cities) / 2;
        worker->totals[COMBGPU__SHORTEST_S_TASKS]++;
    }
}
