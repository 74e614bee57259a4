/* Explains why no tour keeps the time windows, if one city or two rule out every tour.

   A city is reached at the earliest by the quickest walk, which may leave out cities and come back to
   some, but waits where a city is not ready (E. W. Dijkstra, 1959). What such a walk misses, every tour
   misses. */

#define COMBGPU__WINDOW_FAR (INT64_C(1) << 61) /* above all times: no way leads there */

/* The actual leg to a city, even where the search omits it. Place m is the beginning, m + 1 the
   end. */
COMBGPU__PRIVATE int64_t combgpu__window_leg(const combgpu__window *w, const double *weights,
                                             int from, int to)
{
    const combgpu__sop_form *form = &w->form;
    int i = from < form->m ? form->city[from] : form->front;
    int j = to < form->m ? form->city[to] : form->back;
    double weight = i < 0 || i == j ? 0 : weights[i * form->n + j];
    if (combgpu__tsp_missing(weight) || weight > 1e300 ||
        ldexp(weight, w->scale) >= (double)COMBGPU__WINDOW_FAR)
        return COMBGPU__WINDOW_FAR;
    return combgpu__tsp_cost(weight, w->scale);
}

/* Sets when the service of each city may start at the earliest, if that of `from` starts at
   reached[from]; [m + 1]: when the end is reached. */
COMBGPU__PRIVATE void combgpu__window_walk(const combgpu__window *w, const double *weights,
                                           int from, int64_t *reached)
{
    int m = w->form.m, cycle = w->form.shape == COMBGPU_TSP_CYCLE, at = from, k;
    int left = m; /* middle cities that are not yet left */
    char done[COMBGPU__SOP_MOST] = {0};
    for (k = 0; k < m + 2; k++)
        if (k != from) reached[k] = INT64_MAX;
    for (;;) {
        if (at < m) {
            done[at] = 1;
            left--;
        }
        for (k = 0; k < m + 2; k++) {
            int64_t time = reached[at] + w->service[at];
            if (k < m ? done[k] : k == m || w->form.back < 0 || (at == m && m)) continue;
            time += combgpu__window_leg(w, weights, at, k);
            if ((k < m || !cycle) && time < w->ready[k]) time = w->ready[k];
            if (time > COMBGPU__WINDOW_FAR) time = COMBGPU__WINDOW_FAR;
            if (time < reached[k]) reached[k] = time;
        }
        if (!left) return;
        for (at = 0; done[at];)
            at++;
        for (k = at + 1; k < m; k++)
            if (!done[k] && reached[k] < reached[at]) at = k;
    }
}

/* Nonzero if a place is reached too late: adds that to the reasons. */
COMBGPU__PRIVATE int combgpu__window_late(combgpu__window *w, int place, int after, int64_t reached)
{
    const combgpu__sop_form *form = &w->form;
    combgpu_tsp_late *late = w->late + w->late_count;
    if (reached <= w->due[place] && reached < COMBGPU__WINDOW_FAR) return 0;
    late->city = place < form->m ? form->city[place] : place > form->m ? form->back : form->front;
    late->after = after < 0 ? -1 : form->city[after];
    late->earliest = reached < COMBGPU__WINDOW_FAR ? ldexp((double)reached, -w->scale) : HUGE_VAL;
    w->late_count++;
    return 1;
}

/* Finds two cities neither of which can follow the other in time. reached[i * (m + 2) + j]: city j
   after city i. */
COMBGPU__PRIVATE void combgpu__window_pairs(combgpu__window *w, const int64_t *reached)
{
    int m = w->form.m, i, j;
    for (i = 0; i < m; i++)
        for (j = 0; j < i; j++) {
            int excluded = 0;
            w->late_count = 0;
            excluded += combgpu__tsp_cities_has(&w->form.before[j], i) ||
                        combgpu__window_late(w, i, j, reached[j * (m + 2) + i]);
            excluded += combgpu__tsp_cities_has(&w->form.before[i], j) ||
                        combgpu__window_late(w, j, i, reached[i * (m + 2) + j]);
            if (excluded == 2) return;
        }
    w->late_count = 0;
}

/* Sets the reasons against every tour that one or two cities give. */
COMBGPU__PRIVATE void combgpu__window_reasons(combgpu__window *w, const double *weights,
                                              int64_t *reached)
{
    int m = w->form.m, i;
    int64_t *from_begin = reached + m * (m + 2);
    from_begin[m] = w->form.front < 0 ? 0 : w->ready[m];
    if (combgpu__window_late(w, m, -1, from_begin[m])) return;
    combgpu__window_walk(w, weights, m, from_begin);
    for (i = 0; i < m; i++)
        if (combgpu__window_late(w, i, -1, from_begin[i])) return;
    if (!m && w->form.back >= 0 && combgpu__window_late(w, m + 1, -1, from_begin[m + 1])) return;
    for (i = 0; i < m; i++) {
        int64_t *from = reached + i * (m + 2);
        from[i] = from_begin[i];
        combgpu__window_walk(w, weights, i, from);
        if (w->form.back >= 0 && combgpu__window_late(w, m + 1, i, from[m + 1])) return;
    }
    combgpu__window_pairs(w, reached);
}

COMBGPU__PRIVATE combgpu_status combgpu__window_reason(combgpu_context *ctx, combgpu__window *w,
                                                       const double *weights)
{
    size_t bytes = (size_t)(w->form.m + 1) * (size_t)(w->form.m + 2) * sizeof(int64_t);
    int64_t *reached = (int64_t *)combgpu__allocate(ctx, bytes);
    if (!reached) return combgpu__no_memory(ctx, bytes);
    combgpu__window_reasons(w, weights, reached);
    combgpu__release(ctx, reached);
    return COMBGPU_OK;
}
