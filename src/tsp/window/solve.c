/* Time windows: dynamic programming over sets of visited cities and times.

   A label is a way to begin: when the service of its last city starts, and what it has cost. For
   each set and last city only labels are kept that no other beats in both (Y. Dumas, J. Desrosiers,
   E. Gelinas and M. Solomon, 1995); for the earliest end the earliest one is enough. A label is
   dropped if some city left can no longer be reached in time, even by the quickest way. Up to 21
   middle cities have a table of all sets, processed in the order of their numbers, so that every
   set finds what it needs; more cities have labels alone (window/label.c). */

#define COMBGPU__WINDOW_MOST 21                   /* middle cities of a table */
#define COMBGPU__WINDOW_NEVER INT64_MAX           /* due: no limit */
#define COMBGPU__WINDOW_NONE UINT32_MAX           /* no label before */
#define COMBGPU__WINDOW_NO_LEG ((int64_t)1 << 61) /* above every time: no tour has the leg */
#define COMBGPU__WINDOW_BYTES (UINT64_C(2) << 30) /* for labels, if the context sets no limit */

typedef struct combgpu__window_label {
    int64_t time, cost;
    uint32_t before, city;
} combgpu__window_label;

/* Cities are numbered as in src/tsp/sop/form.c: 0 .. m-1 in the middle, m is the beginning and the
   end. Times and costs are whole numbers of units 2^-scale. */
typedef struct combgpu__window {
    combgpu__tsp_terms terms;
    combgpu__sop_form form;
    int earliest; /* the objective is the end */
    int scale;
    int64_t ready[COMBGPU__SOP_MOST + 2], due[COMBGPU__SOP_MOST + 2];
    int64_t service[COMBGPU__SOP_MOST + 2]; /* m: of the beginning; m + 1: of the end */
    int64_t legs[COMBGPU__SOP_MOST + 1][COMBGPU__SOP_MOST + 1];
    int64_t quickest[COMBGPU__SOP_MOST + 1][COMBGPU__SOP_MOST + 1]; /* start to start */
    int64_t latest[COMBGPU__SOP_MOST + 1]; /* start at a city from which the end is in time */
    int late_count;                        /* reasons against every tour; 0 = none known */
    combgpu_tsp_late late[2];
    uint32_t *begin; /* [set * m + city]: its first label; the next entry: behind its last one */
    combgpu__window_label *labels;
    uint64_t room, used, limit;
    struct combgpu__window_layers *layers; /* instead of a table; NULL = none */
    uint32_t next;                         /* set to be worked off, or size of the next */
    uint64_t missing;                      /* labels that the next set may need more; 0 = none */
} combgpu__window;

/* Nonzero if every city left can still be reached in time. */
COMBGPU__PRIVATE int combgpu__window_alive(const combgpu__window *w, int city, int64_t time,
                                           uint32_t left)
{
    if (time > w->due[city] || time > w->latest[city]) return 0;
    for (; left; left &= left - 1) {
        int k = combgpu__lowest_bit64(left);
        if (w->due[k] != COMBGPU__WINDOW_NEVER && time + w->quickest[city][k] > w->due[k]) return 0;
    }
    return 1;
}

/* Adds a label to the `count` from `labels` on, which are sorted by time, if none beats it; removes
   those that it beats. Returns the new count. */
COMBGPU__PRIVATE uint32_t combgpu__window_add(int earliest, combgpu__window_label *labels,
                                              uint32_t count, const combgpu__window_label *label)
{
    uint32_t at = 0, behind;
    if (earliest && count) {
        if (label->time < labels->time ||
            (label->time == labels->time && label->cost < labels->cost))
            *labels = *label;
        return count;
    }
    while (at < count && labels[at].time <= label->time)
        if (labels[at++].cost <= label->cost) return count;
    /* one as late may be in front of it, with a higher cost */
    while (at > 0 && labels[at - 1].time == label->time)
        at--;
    for (behind = at; behind < count && labels[behind].cost >= label->cost;)
        behind++;
    memmove(labels + at + 1, labels + behind, (count - behind) * sizeof *labels);
    labels[at] = *label;
    return at + 1 + count - behind;
}

/* Extends the labels of city `from` to `city`, in a set of which `left` is left. */
COMBGPU__PRIVATE uint32_t combgpu__window_extend(const combgpu__window *w, uint32_t first,
                                                 uint32_t end, int from, int city, uint32_t left,
                                                 combgpu__window_label *out, uint32_t count)
{
    uint32_t k;
    if (w->legs[from][city] == COMBGPU__WINDOW_NO_LEG) return count;
    for (k = first; k < end; k++) {
        combgpu__window_label label;
        label.time = w->labels[k].time + w->service[from] + w->legs[from][city];
        if (label.time < w->ready[city]) label.time = w->ready[city];
        if (!combgpu__window_alive(w, city, label.time, left)) continue;
        label.cost = w->labels[k].cost + w->legs[from][city];
        label.before = k;
        label.city = (uint32_t)city;
        count = combgpu__window_add(w->earliest, out, count, &label);
    }
    return count;
}

/* The label of a tour that begins with `city`. */
COMBGPU__PRIVATE uint32_t combgpu__window_first(const combgpu__window *w, int city, uint32_t left,
                                                combgpu__window_label *out)
{
    int m = w->form.m;
    combgpu__window_label label;
    if (w->legs[m][city] == COMBGPU__WINDOW_NO_LEG) return 0;
    label.time = w->form.front < 0 ? 0 : w->ready[m] + w->service[m] + w->legs[m][city];
    if (label.time < w->ready[city]) label.time = w->ready[city];
    if (!combgpu__window_alive(w, city, label.time, left)) return 0;
    label.cost = w->legs[m][city];
    label.before = COMBGPU__WINDOW_NONE;
    label.city = (uint32_t)city;
    *out = label;
    return 1;
}

/* Processes a set. Returns its steps, 0 without room for its labels. */
COMBGPU__APART uint64_t combgpu__window_set(combgpu__window *w, uint32_t set)
{
    int m = w->form.m, city, from;
    uint32_t all = (1u << m) - 1, rest;
    uint64_t steps = 1, needed = 0;
    for (rest = set; rest; rest &= rest - 1) {
        const uint32_t *begin = w->begin + (size_t)(set & ~(rest & (0u - rest))) * (size_t)m;
        needed += begin[m] - begin[0] + 1;
    }
    if (w->used + needed > w->room) {
        w->missing = needed;
        return 0;
    }
    for (city = 0; city < m; city++) {
        uint32_t count = 0, without = set & ~(1u << city);
        combgpu__window_label *out = w->labels + w->used;
        w->begin[(size_t)set * (size_t)m + (size_t)city] = (uint32_t)w->used;
        if (!(set >> city & 1) || w->form.before[city].words[0] & ~(uint64_t)without) continue;
        if (!without) count = combgpu__window_first(w, city, all & ~set, out);
        for (rest = without; rest; rest &= rest - 1) {
            const uint32_t *begin;
            from = combgpu__lowest_bit64(rest);
            begin = w->begin + (size_t)without * (size_t)m + (size_t)from;
            steps += begin[1] - begin[0];
            count =
                combgpu__window_extend(w, begin[0], begin[1], from, city, all & ~set, out, count);
        }
        w->used += count;
    }
    w->begin[((size_t)set + 1) * (size_t)m] = (uint32_t)w->used;
    return steps;
}

/* The end of a tour with this last label. */
typedef struct combgpu__window_finish {
    uint32_t label; /* NONE: no tour */
    int64_t time, cost;
} combgpu__window_finish;

/* Ends the tour after its last middle city, and keeps it if it is the best so far. */
COMBGPU__PRIVATE void combgpu__window_close(const combgpu__window *w, uint32_t label, int city,
                                            int64_t time, int64_t cost,
                                            combgpu__window_finish *best)
{
    int m = w->form.m;
    if (w->legs[city][m] == COMBGPU__WINDOW_NO_LEG) return;
    time += w->service[city] + w->legs[city][m];
    cost += w->legs[city][m];
    if (w->form.back >= 0) {
        if (w->form.shape == COMBGPU_TSP_PATH && time < w->ready[m + 1]) time = w->ready[m + 1];
        if (time > w->due[m + 1]) return;
        time += w->service[m + 1];
    }
    if (best->label != COMBGPU__WINDOW_NONE &&
        (w->earliest ? time > best->time || (time == best->time && cost >= best->cost)
                     : cost > best->cost || (cost == best->cost && time >= best->time)))
        return;
    best->label = label;
    best->time = time;
    best->cost = cost;
}

/* Finds the best label of the whole tour. */
COMBGPU__PRIVATE combgpu__window_finish combgpu__window_best(const combgpu__window *w)
{
    combgpu__window_finish best = {COMBGPU__WINDOW_NONE, 0, 0};
    int m = w->form.m;
    const uint32_t *begin = w->begin + (((size_t)1 << m) - 1) * (size_t)m;
    uint32_t k;
    if (w->form.front >= 0 && w->ready[m] > w->due[m]) return best;
    for (k = begin[0]; k < begin[m]; k++) {
        const combgpu__window_label *label = w->labels + k;
        combgpu__window_close(w, k, (int)label->city, label->time, label->cost, &best);
    }
    return best;
}

/* Follows an order of the middle cities: the starts of their service, the end, the cost. Returns 0
   if one is late, or comes before a city that must precede it. */
COMBGPU__PRIVATE int combgpu__window_schedule(const combgpu__window *w, const int *order,
                                              int64_t *start, int64_t *end, int64_t *cost)
{
    int m = w->form.m, last = m, path = w->form.shape == COMBGPU_TSP_PATH, i;
    int64_t time = w->form.front < 0 ? 0 : w->ready[m] + w->service[m];
    if (w->form.front >= 0 && w->ready[m] > w->due[m]) return 0;
    if (!combgpu__sop_feasible(w->form.before, m, order)) return 0;
    *cost = 0;
    for (i = 0; i < m; i++) {
        int city = order[i];
        if (w->legs[last][city] == COMBGPU__WINDOW_NO_LEG) return 0;
        time += w->legs[last][city];
        *cost += w->legs[last][city];
        if (time < w->ready[city]) time = w->ready[city];
        if (time > w->due[city]) return 0;
        start[i] = time;
        time += w->service[city];
        last = city;
    }
    if (w->form.back >= 0) {
        if (w->legs[last][m] == COMBGPU__WINDOW_NO_LEG) return 0;
        time += w->legs[last][m];
        *cost += w->legs[last][m];
        if (path && time < w->ready[m + 1]) time = w->ready[m + 1];
        if (time > w->due[m + 1]) return 0;
        time += w->service[m + 1];
    }
    *end = time;
    return 1;
}
