/* Tours with precedence (sequential ordering): brings an instance to its form.

   As in src/tsp/instance/state.c every request becomes an order of m middle cities, with the costs of
   beginning, of going on and of ending. Costs are whole numbers, divided by what divides all of
   them, in one matrix with m+1 rows and columns: row m is the beginning, column m the end.

   Indistinguishable cities - equal costs to and from all others, the same cities before and after -
   come in the order of their numbers: every tour has an equally long one of this kind. */

#define COMBGPU__SOP_MOST 128 /* middle cities */

/* An order of the middle cities is feasible if each comes after those of before[]. */
typedef struct combgpu__sop_form {
    combgpu_tsp_shape shape;
    int n, m;
    int front, back;          /* fixed cities before and after the middle; -1 = none */
    int scale;                /* a cost is a weight * 2^scale / divisor, */
    double error;             /* with its weight at most this off */
    int64_t divisor, nothing; /* nothing: m == 0: cost of the only tour */
    int city[COMBGPU__SOP_MOST];
    int64_t *costs;                                /* [from * (m + 1) + to] */
    combgpu__tsp_cities before[COMBGPU__SOP_MOST]; /* all that must come before, transitively, */
    combgpu__tsp_cities after[COMBGPU__SOP_MOST];  /* and after */
} combgpu__sop_form;

COMBGPU__INLINE int64_t combgpu__sop_cost(const combgpu__sop_form *form, int from, int to)
{
    return form->costs[from * (form->m + 1) + to];
}

COMBGPU__PRIVATE int64_t combgpu__sop_length(const combgpu__sop_form *form, const int *order)
{
    int64_t length;
    int i;
    if (!form->m) return form->nothing;
    length = combgpu__sop_cost(form, form->m, order[0]) +
             combgpu__sop_cost(form, order[form->m - 1], form->m);
    for (i = 1; i < form->m; i++)
        length += combgpu__sop_cost(form, order[i - 1], order[i]);
    return length;
}

/* Nonzero if this is an order of m cities in which each comes after those of before[]. */
COMBGPU__PRIVATE int combgpu__sop_feasible(const combgpu__tsp_cities *before, int m,
                                           const int *order)
{
    combgpu__tsp_cities seen;
    int i;
    memset(&seen, 0, sizeof seen);
    for (i = 0; i < m; i++) {
        if (order[i] < 0 || order[i] >= m || combgpu__tsp_cities_has(&seen, order[i]) ||
            !combgpu__tsp_cities_within(&before[order[i]], &seen))
            return 0;
        combgpu__tsp_cities_add(&seen, order[i]);
    }
    return 1;
}

COMBGPU__COLD_BEGIN
/* Makes before[] transitive, and after[] from it. */
COMBGPU__PRIVATE void combgpu__sop_close(combgpu__sop_form *form)
{
    int i, k;
    for (k = 0; k < form->m; k++)
        for (i = 0; i < form->m; i++)
            if (combgpu__tsp_cities_has(&form->before[i], k)) {
                form->before[i].words[0] |= form->before[k].words[0];
                form->before[i].words[1] |= form->before[k].words[1];
            }
    memset(form->after, 0, sizeof form->after);
    for (i = 0; i < form->m; i++)
        for (k = 0; k < form->m; k++)
            if (combgpu__tsp_cities_has(&form->before[i], k))
                combgpu__tsp_cities_add(&form->after[k], i);
}

/* Reads the pairs. Those with a fixed city hold already, or never. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_pairs(combgpu_context *ctx, combgpu__sop_form *form,
                                                   const combgpu_tsp_instance *instance)
{
    int place[COMBGPU__SOP_MOST + 2], i, k;
    for (i = 0; i < form->m; i++)
        place[form->city[i]] = i;
    for (k = 0; k < instance->before_count; k++) {
        int first = instance->before[2 * k], second = instance->before[2 * k + 1];
        int never = first == second || second == form->front ||
                    (first == form->back && form->front != form->back);
        if (never && first != second)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.instance->before has city %d before city %d, but %s city "
                                 "%d (all counted from 0)",
                                 first, second,
                                 second != form->front ? "desc.path_end lets the path end at"
                                 : form->shape == COMBGPU_TSP_CYCLE
                                     ? "a cycle begins at"
                                     : "desc.path_start lets the path begin at",
                                 second == form->front ? second : first);
        if (never)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.instance->before has city %d (counted from 0) before itself",
                                 first);
        if (first == form->front || second == form->back) continue;
        combgpu__tsp_cities_add(&form->before[place[second]], place[first]);
    }
    combgpu__sop_close(form);
    for (i = 0; i < form->m; i++)
        if (combgpu__tsp_cities_has(&form->before[i], i))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.instance->before leaves no tour: by its pairs city %d "
                                 "(counted from 0) comes before itself",
                                 form->city[i]);
    return COMBGPU_OK;
}

/* Nonzero if two cities can be exchanged in every tour. */
COMBGPU__PRIVATE int combgpu__sop_twins(const combgpu__sop_form *form, int i, int j)
{
    int k;
    if (memcmp(&form->before[i], &form->before[j], sizeof form->before[i]) ||
        memcmp(&form->after[i], &form->after[j], sizeof form->after[i]) ||
        combgpu__sop_cost(form, i, j) != combgpu__sop_cost(form, j, i))
        return 0;
    for (k = 0; k <= form->m; k++)
        if (k != i && k != j &&
            (combgpu__sop_cost(form, i, k) != combgpu__sop_cost(form, j, k) ||
             combgpu__sop_cost(form, k, i) != combgpu__sop_cost(form, k, j)))
            return 0;
    return 1;
}

/* Puts twins in the order of their numbers. */
COMBGPU__PRIVATE void combgpu__sop_order_twins(combgpu__sop_form *form)
{
    int next[COMBGPU__SOP_MOST], i, j;
    for (i = 0; i < form->m; i++) {
        for (j = i + 1; j < form->m && !combgpu__sop_twins(form, i, j);)
            j++;
        next[i] = j;
    }
    for (i = 0; i < form->m; i++)
        if (next[i] < form->m) combgpu__tsp_cities_add(&form->before[next[i]], i);
    combgpu__sop_close(form);
}

/* Brings the instance to this form; the caller releases form->costs, even after a failure. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_make_form(combgpu_context *ctx,
                                                       const combgpu_tsp_desc *desc,
                                                       combgpu__sop_form *form)
{
    const combgpu_tsp_instance *instance = desc->instance;
    int n = instance->n, cycle = desc->shape == COMBGPU_TSP_CYCLE, i, j, m;
    size_t bytes;
    combgpu__tsp_weights weights;
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, &weights);
    if (status) return status;
    form->scale = weights.scale;
    form->error = combgpu__tsp_unit_error(instance, weights.scale);
    form->shape = desc->shape;
    form->n = n;
    form->front = cycle ? desc->path_start : COMBGPU__TSP_START(desc); /* 0, or the depot */
    form->back = cycle ? desc->path_start : COMBGPU__TSP_END(desc);
    if (n == 1 && form->front == form->back) form->back = -1;
    form->divisor = 1;
    for (i = m = 0; i < n; i++)
        if (i != form->front && i != form->back) form->city[m++] = i;
    form->m = m;
    status = combgpu__sop_pairs(ctx, form, instance);
    bytes = (size_t)(m + 1) * (size_t)(m + 1) * sizeof *form->costs;
    if (!status) form->costs = (int64_t *)combgpu__allocate_zeroed(ctx, bytes);
    if (!status && !form->costs) status = combgpu__no_memory(ctx, bytes);
    if (status) return status;
    for (i = 0; i <= m; i++)
        for (j = 0; j <= m; j++) {
            int from = i < m ? form->city[i] : form->front, to = j < m ? form->city[j] : form->back;
            if (i == j || from < 0 || to < 0) continue;
            form->costs[i * (m + 1) + j] =
                combgpu__tsp_cost(instance->weights[from * n + to], form->scale);
        }
    if (!m && n > 1)
        form->nothing =
            combgpu__tsp_cost(instance->weights[form->front * n + form->back], form->scale);
    return COMBGPU_OK;
}

/* Divides the costs by their common divisor. */
COMBGPU__PRIVATE void combgpu__sop_divide(combgpu__sop_form *form)
{
    int64_t divisor = 0;
    int count = (form->m + 1) * (form->m + 1), i;
    for (i = 0; form->m && i < count; i++)
        divisor = combgpu__gcd(divisor, form->costs[i]);
    if (divisor < 2) return;
    form->divisor = divisor;
    for (i = 0; i < count; i++)
        form->costs[i] /= divisor;
}

/* Nonzero if a tour may go from one city straight to another. */
COMBGPU__PRIVATE int combgpu__sop_arc(const combgpu__sop_form *form, int from, int to)
{
    return from != to && !combgpu__tsp_cities_has(&form->before[from], to) &&
           !combgpu__tsp_cities_meets(&form->after[from], &form->before[to]);
}
COMBGPU__COLD_END
