/* Tours with precedence: allocates the bounds, and raises them by an ascent of prices. */

#define COMBGPU__SOP_ROOM ((size_t)1 << 24) /* entries of rows and of maps, at most: 96 MiB */
#define COMBGPU__SOP_FIRST_WATCHED 5        /* cities that a city watches at first */
#define COMBGPU__SOP_PATIENCE 12            /* passes without progress before steps shrink */

COMBGPU__PRIVATE void combgpu__sop_bounds_release(combgpu_context *ctx, combgpu__sop_bounds *b)
{
    combgpu__release(ctx, b->weights);
    combgpu__release(ctx, b->row);
    combgpu__release(ctx, b->rows);
    combgpu__release(ctx, b->map);
    combgpu__release(ctx, b->maps);
}

/* Lists the arcs that a tour shorter than the known one may have. */
COMBGPU__PRIVATE void combgpu__sop_list_arcs(combgpu__sop_bounds *b, int64_t known)
{
    const combgpu__sop_form *form = b->form;
    int i, j, a = 0;
    for (i = 0; i < b->m; i++) {
        b->arc_begin[i] = a;
        for (j = 0; j < b->m; j++)
            if (combgpu__sop_arc(form, i, j) && combgpu__sop_cost(form, i, j) < known) {
                b->arc_from[a] = (uint16_t)i;
                b->arc_to[a++] = (uint16_t)j;
            }
    }
    b->arc_begin[i] = b->arc_count = a;
}

/* Lets each city watch the nearest ones, there and back. */
COMBGPU__PRIVATE void combgpu__sop_watch_nearest(combgpu__sop_bounds *b)
{
    const combgpu__sop_form *form = b->form;
    int i, j, k;
    for (i = 0; i < b->m; i++)
        for (k = 0; k < COMBGPU__SOP_FIRST_WATCHED; k++) {
            int64_t least = INT64_MAX;
            int nearest = -1;
            for (j = 0; j < b->m; j++) {
                int64_t cost;
                if (!combgpu__sop_arc(form, i, j) || !combgpu__sop_arc(form, j, i) ||
                    combgpu__tsp_cities_has(&b->watches[i], j))
                    continue;
                cost = combgpu__sop_cost(form, i, j) / 2 + combgpu__sop_cost(form, j, i) / 2;
                if (cost >= least) continue;
                least = cost;
                nearest = j;
            }
            if (nearest < 0) break;
            b->watch[i][b->watched[i]++] = (unsigned char)nearest;
            combgpu__tsp_cities_add(&b->watches[i], nearest);
        }
}

/* Makes bounds for tours shorter than `known`; the rows are not filled yet. */
COMBGPU__PRIVATE combgpu_status combgpu__sop_bounds_make(combgpu_context *ctx,
                                                         const combgpu__sop_form *form,
                                                         int64_t known, combgpu__sop_bounds *b)
{
    size_t m = (size_t)form->m, arcs, most = m < COMBGPU__SOP_WATCHED ? m : COMBGPU__SOP_WATCHED;
    int bits = 28, i;
    b->form = form;
    b->m = form->m;
    b->length = known;
    for (i = form->m + 1; i; i /= 2)
        bits--;
    for (b->shift = bits; b->shift > 0 && known >= (int64_t)1 << (bits - b->shift);)
        b->shift--;
    while (b->shift <= 0 && known >> -b->shift >= (int64_t)1 << bits)
        b->shift--;
    b->most = 1 << bits;
    b->known = combgpu__sop_units(b, known);
    combgpu__sop_list_arcs(b, known);
    combgpu__sop_watch_nearest(b);
    arcs = (size_t)b->arc_count;
    b->room = m * m * (((size_t)1 << most) + 1);
    b->map_room = arcs << most;
    if (b->room > COMBGPU__SOP_ROOM) b->room = COMBGPU__SOP_ROOM;
    if (b->map_room > COMBGPU__SOP_ROOM) b->map_room = COMBGPU__SOP_ROOM;
    b->weights = (int32_t *)combgpu__allocate(ctx, (arcs + 2 * m) * sizeof *b->weights);
    b->row = (uint32_t *)combgpu__allocate(ctx, m * m * sizeof *b->row);
    b->rows = (int32_t *)combgpu__allocate(ctx, b->room * sizeof *b->rows);
    b->map = (uint32_t *)combgpu__allocate(ctx, (arcs + 1) * sizeof *b->map);
    b->maps = (uint16_t *)combgpu__allocate(ctx, (b->map_room + 1) * sizeof *b->maps);
    if (!b->weights || !b->row || !b->rows || !b->map || !b->maps)
        return combgpu__no_memory(ctx, b->room * sizeof *b->rows);
    for (i = 0; i < b->arc_count; i++)
        b->weights[i] =
            combgpu__sop_units(b, combgpu__sop_cost(form, b->arc_from[i], b->arc_to[i]));
    for (i = 0; i < 2 * b->m; i++) {
        int64_t cost =
            i < b->m ? combgpu__sop_cost(form, b->m, i) : combgpu__sop_cost(form, i - b->m, b->m);
        b->weights[arcs + (size_t)i] =
            cost < known ? combgpu__sop_units(b, cost) : COMBGPU__SOP_FAR;
    }
    for (i = 0; i < b->m; i++) {
        b->before[i] = combgpu__tsp_cities_count(&form->before[i]);
        b->after[i] = combgpu__tsp_cities_count(&form->after[i]);
    }
    b->bound = INT64_MIN;
    b->boldness = 1024;
    b->cap = 10;
    combgpu__sop_lay_out(b); /* the first layout always has room */
    return COMBGPU_OK;
}

/* Watches more; returns 0 if nothing more is left or fits. */
COMBGPU__PRIVATE int combgpu__sop_enlarge(combgpu__sop_bounds *b)
{
    int watched[COMBGPU__SOP_MOST], i, k;
    memcpy(watched, b->watched, sizeof watched);
    if (!combgpu__sop_watch_more(b, b->cap)) return 0;
    if (combgpu__sop_lay_out(b)) return 1;
    memcpy(b->watched, watched, sizeof watched);
    for (i = 0; i < b->m; i++) {
        memset(&b->watches[i], 0, sizeof b->watches[i]);
        for (k = 0; k < b->watched[i]; k++)
            combgpu__tsp_cities_add(&b->watches[i], b->watch[i][k]);
    }
    combgpu__sop_lay_out(b);
    b->cap = 0;
    return 0;
}

/* Moves the prices along the last walk's excess, 7/10, and that of the walk before, 3/10. */
COMBGPU__PRIVATE void combgpu__sop_move_prices(combgpu__sop_bounds *b, int64_t step)
{
    int i;
    for (i = 0; i < b->m; i++) {
        int64_t price =
            b->price[i] + step * (7 * b->excess[i] + 3 * (b->passes > 1 ? b->last[i] : 0)) / 10;
        b->price[i] = (int32_t)(price > b->most ? b->most : price < -b->most ? -b->most : price);
    }
}

/* One step of the ascent. */
COMBGPU__PRIVATE void combgpu__sop_pass(combgpu__sop_bounds *b)
{
    int64_t bound, step, squares = 0;
    int i, stale = 0, more = 0;
    combgpu__sop_fill(b);
    memcpy(b->last, b->excess, sizeof b->last);
    bound = combgpu__sop_walk(b);
    b->passes++;
    if (bound > b->bound) {
        b->bound = bound;
        b->waited = 0;
        memcpy(b->best, b->price, sizeof b->best);
    } else if (++b->waited >= COMBGPU__SOP_PATIENCE)
        stale = 1;
    if (bound > b->known || combgpu__sop_whole(b, bound) >= b->length) { /* none is shorter */
        b->finished = 1;
        return;
    }
    for (i = 0; i < b->m; i++)
        squares += b->excess[i] * b->excess[i];
    if (!squares || stale) more = combgpu__sop_enlarge(b);
    if (stale) {
        b->waited = 0;
        b->boldness = b->boldness * 7 / 10;
        memcpy(b->price, b->best, sizeof b->price);
    }
    if ((!squares && !more) || b->boldness < 20) b->finished = 1;
    if (!squares) return;
    step = (b->known - bound) / squares;
    step = (step >> 10) * b->boldness + (((step & 1023) * b->boldness) >> 10);
    combgpu__sop_move_prices(b, step < 1 ? 1 : step);
}

/* Fills the rows under the best prices, for the search. */
COMBGPU__PRIVATE void combgpu__sop_settle(combgpu__sop_bounds *b)
{
    int64_t bound;
    memcpy(b->price, b->best, sizeof b->price);
    combgpu__sop_fill(b);
    bound = combgpu__sop_walk(b);
    if (bound > b->bound) b->bound = bound;
}
