/* A good first tour with precedence, by local search. */

/* The only move exchanges two neighbouring parts of the order: it reverses nothing, so costs need
   not be symmetric, and it is feasible if no city of the first part must come before one of the
   second (L. M. Gambardella and M. Dorigo, 2000). */

#define COMBGPU__SOP_MOVES 400000 /* moves tried per city: 50 ms for 40 cities */

typedef struct combgpu__sop_local {
    const combgpu__sop_form *form;
    uint64_t random;
    int64_t moves;
    int order[COMBGPU__SOP_MOST], best[COMBGPU__SOP_MOST]; /* best: where kicks begin */
    int spare[COMBGPU__SOP_MOST];
} combgpu__sop_local;

COMBGPU__PRIVATE int combgpu__sop_at(const combgpu__sop_local *local, int place)
{
    return place < 0 || place >= local->form->m ? local->form->m : local->order[place];
}

/* Exchanges the parts from place i and from j, which ends before k. */
COMBGPU__PRIVATE void combgpu__sop_exchange(combgpu__sop_local *local, int i, int j, int k)
{
    size_t first = (size_t)(j - i), second = (size_t)(k - j);
    memcpy(local->spare, local->order + i, first * sizeof *local->spare);
    memmove(local->order + i, local->order + j, second * sizeof *local->order);
    memcpy(local->order + i + second, local->spare, first * sizeof *local->spare);
}

/* Makes the first move found that shortens the order and whose first part begins at place i. */
COMBGPU__PRIVATE int combgpu__sop_move(combgpu__sop_local *local, int i)
{
    const combgpu__sop_form *form = local->form;
    combgpu__tsp_cities after;
    int j, k;
    memset(&after, 0, sizeof after);
    for (j = i + 1; j < form->m; j++) {
        int begin = combgpu__sop_at(local, i - 1), a = local->order[i], b = local->order[j - 1];
        int c = local->order[j];
        int64_t now = combgpu__sop_cost(form, begin, a) + combgpu__sop_cost(form, b, c);
        int64_t then = combgpu__sop_cost(form, begin, c);
        after.words[0] |= form->after[b].words[0];
        after.words[1] |= form->after[b].words[1];
        for (k = j + 1; k <= form->m; k++) {
            int d = local->order[k - 1], end = combgpu__sop_at(local, k);
            if (combgpu__tsp_cities_has(&after, d)) break;
            local->moves++;
            if (then + combgpu__sop_cost(form, d, a) + combgpu__sop_cost(form, b, end) <
                now + combgpu__sop_cost(form, d, end)) {
                combgpu__sop_exchange(local, i, j, k);
                return 1;
            }
        }
    }
    return 0;
}

/* Moves until no move shortens the order. */
COMBGPU__PRIVATE void combgpu__sop_descend(combgpu__sop_local *local)
{
    int i = 0, since = 0;
    for (; since < local->form->m; i = i + 1 < local->form->m ? i + 1 : 0)
        since = combgpu__sop_move(local, i) ? 0 : since + 1;
}

/* Makes one feasible exchange at random. */
COMBGPU__PRIVATE void combgpu__sop_kick(combgpu__sop_local *local)
{
    const combgpu__sop_form *form = local->form;
    combgpu__tsp_cities after;
    int i, j, k, parts;
    memset(&after, 0, sizeof after);
    local->random = combgpu__mix(local->random + 1);
    i = (int)(local->random % (uint64_t)(form->m - 1));
    parts = 1 + (int)(local->random >> 32 & 7);
    for (j = i; j < form->m - 1 && j < i + parts; j++) {
        after.words[0] |= form->after[local->order[j]].words[0];
        after.words[1] |= form->after[local->order[j]].words[1];
    }
    for (k = j; k < form->m && k < j + 1 + (int)(local->random >> 48 & 7); k++)
        if (combgpu__tsp_cities_has(&after, local->order[k])) break;
    if (k > j) combgpu__sop_exchange(local, i, j, k);
}

/* Goes to the cheapest city that may come next, over and over. */
COMBGPU__PRIVATE void combgpu__sop_nearest(const combgpu__sop_form *form, int *order)
{
    combgpu__tsp_cities seen;
    int i, j, last = form->m;
    memset(&seen, 0, sizeof seen);
    for (i = 0; i < form->m; i++) {
        int chosen = -1;
        for (j = 0; j < form->m; j++)
            if (!combgpu__tsp_cities_has(&seen, j) &&
                combgpu__tsp_cities_within(&form->before[j], &seen) &&
                (chosen < 0 ||
                 combgpu__sop_cost(form, last, j) < combgpu__sop_cost(form, last, chosen)))
                chosen = j;
        combgpu__tsp_cities_add(&seen, chosen);
        order[i] = last = chosen;
    }
}

/* Moves for a first tour; few for few cities. */
COMBGPU__PRIVATE int64_t combgpu__sop_moves(int m)
{
    return m < 12 ? (int64_t)m * m * m : (int64_t)COMBGPU__SOP_MOVES * m;
}

/* Improves an order of the middle cities: descends, then kicks the order and descends again, for at
   most `most` moves tried. */
COMBGPU__PRIVATE void combgpu__sop_improve(const combgpu__sop_form *form, uint64_t seed,
                                           int64_t most, int *order)
{
    combgpu__sop_local local;
    size_t bytes = (size_t)form->m * sizeof *order;
    int64_t best, length, now;
    if (form->m < 2) return;
    memset(&local, 0, sizeof local);
    local.form = form;
    local.random = combgpu__mix(seed + 1);
    memcpy(local.order, order, bytes);
    combgpu__sop_descend(&local);
    memcpy(order, local.order, bytes);
    best = combgpu__sop_length(form, order);
    memcpy(local.best, local.order, bytes);
    now = best;
    while (local.moves < most && best) {
        combgpu__sop_kick(&local);
        combgpu__sop_descend(&local);
        local.moves += 50; /* so that this ends without a feasible move */
        length = combgpu__sop_length(form, local.order);
        /* continues from a tour longer by up to 6 %, the longer the less often */
        if ((double)(length - now) >
            (double)best * 0.06 * (double)(combgpu__mix(local.random) >> 40) / 16777216.0) {
            memcpy(local.order, local.best, bytes);
            continue;
        }
        now = length;
        memcpy(local.best, local.order, bytes);
        if (length >= best) continue;
        best = length;
        memcpy(order, local.order, bytes);
    }
}
