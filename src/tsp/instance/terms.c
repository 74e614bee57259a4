/* The terms of a search: an instance's weights as numbers from 0 on in a fine unit, and what they mean
   to the caller.

   Ordinary weights are searched unaltered. If some are negative, the least is subtracted from all:
   tours have equally many legs. A missing leg gets a weight, the cap, above any tour without such
   legs. So if a shortest tour has one, every tour has. A weight that would make the unit coarse
   gets the cap too, if it exceeds any tour of smaller weights: 1e18 for "no road" costs nothing. If
   every tour then has one, the search refuses. */

#define COMBGPU__TERMS_FAR 1024   /* such a weight is at least so many times the cap */
#define COMBGPU__TERMS_NONE 1e305 /* above every weight */

typedef struct combgpu__tsp_terms {
    int *out;                   /* the caller's memory for the tour; NULL = none */
    combgpu_tsp_instance given; /* the caller's instance, */
    double *own;                /* the copy of its weights, or NULL */
    double shift;               /* a leg's weight is the searched one plus this, */
    double error;               /* or differs from that by at most this */
    double grid;                /* lengths are multiples of this; 0 = unknown */
    double cap;                 /* 0 = none */
    double beyond;              /* the least finite weight that has the cap, or NONE */
    int from, to;               /* the leg of that weight */
} combgpu__tsp_terms;

/* ---- the cap */

/* An instance's weights above their least, during preparation: n*n, NONE if missing. */
typedef struct combgpu__tsp_excess {
    int n, whole; /* whole: all are whole numbers */
    double largest;
    double joins; /* every tour has a leg of at least that */
    double grid;  /* divides all weights; 0 = unknown */
    const double *weights;
} combgpu__tsp_excess;

/* The least number such that legs up to it join all cities, whatever their direction (R. C. Prim,
   1957). key[n]: memory. */
COMBGPU__PRIVATE double combgpu__tsp_excess_joins(const combgpu__tsp_excess *e, double *key)
{
    size_t n = (size_t)e->n, at = 0, i, left;
    double most = 0;
    for (i = 0; i < n; i++)
        key[i] = COMBGPU__TERMS_NONE;
    for (left = n - 1; left; left--) {
        size_t next = n;
        key[at] = -1; /* joined */
        for (i = 0; i < n; i++) {
            double out = e->weights[at * n + i], in = e->weights[i * n + at];
            if (key[i] < 0) continue;
            if (in < out) out = in;
            if (out < key[i]) key[i] = out;
            if (next == n || key[i] < key[next]) next = i;
        }
        at = next;
        if (key[at] > most) most = key[at];
    }
    return most < e->largest ? most : e->largest;
}

/* Writes an instance's weights above the least to weights[n*n]. key[n]: memory. */
COMBGPU__PRIVATE combgpu__tsp_excess combgpu__tsp_excess_of(const combgpu_tsp_instance *instance,
                                                            const combgpu__tsp_weights *kind,
                                                            double *weights, double *key)
{
    combgpu__tsp_excess e;
    size_t n = (size_t)instance->n, i;
    e.n = instance->n;
    e.whole = 1;
    e.largest = kind->largest - kind->least;
    e.weights = weights;
    for (i = 0; i < n * n; i++) {
        double weight = instance->weights[i];
        int missing = combgpu__tsp_missing(weight);
        if (i % (n + 1) && !missing && weight != combgpu__floor(weight)) e.whole = 0;
        weights[i] = missing ? COMBGPU__TERMS_NONE : weight - kind->least;
    }
    e.joins = combgpu__tsp_excess_joins(&e, key);
    e.grid = combgpu__tsp_grid(instance);
    return e;
}

/* A number above every tour whose legs weigh at most `most`. */
COMBGPU__PRIVATE double combgpu__tsp_excess_beyond(const combgpu__tsp_excess *e, double most)
{
    double sum = 0;
    int i, j;
    for (i = 0; i < e->n; i++) {
        double row = 0;
        for (j = 0; j < e->n; j++) {
            double weight = e->weights[(size_t)i * (size_t)e->n + (size_t)j];
            if (i != j && weight <= most && weight > row) row = weight;
        }
        sum += row;
    }
    sum += sum / 1048576; /* 2^-20: also when rounded */
    return e->whole ? combgpu__floor(sum) + 1 : sum > 0 ? sum : 1;
}

/* The largest weight of at most `limit`. */
COMBGPU__PRIVATE double combgpu__tsp_excess_below(const combgpu__tsp_excess *e, double limit)
{
    size_t n = (size_t)e->n, i;
    double most = 0;
    for (i = 0; i < n * n; i++)
        if (i % (n + 1) && e->weights[i] <= limit && e->weights[i] > most) most = e->weights[i];
    return most;
}

/* The least weight above `limit`. */
COMBGPU__PRIVATE double combgpu__tsp_excess_above(const combgpu__tsp_excess *e, double limit)
{
    size_t n = (size_t)e->n, i;
    double least = e->largest;
    for (i = 0; i < n * n; i++)
        if (i % (n + 1) && e->weights[i] > limit && e->weights[i] < least) least = e->weights[i];
    return least;
}

/* Nonzero if with this cap nothing is rounded, or rounding moves no tour by more than 2^-30 of the
   shortest. */
COMBGPU__PRIVATE int combgpu__tsp_excess_fine(const combgpu__tsp_excess *e, double cap)
{
    return cap * (e->n + 1) <= e->grid * 1125899906842624.0 || /* 2^50 */
           cap * e->n * (e->n + 1) <= e->joins * 2147483648.0;
}

/* Chooses the cap. Each weight above it exceeds any tour of the others, of which it leaves as many
   as a fine unit allows: a tour may need them. */
COMBGPU__PRIVATE double combgpu__tsp_excess_cap(const combgpu__tsp_excess *e,
                                                const combgpu_tsp_instance *instance)
{
    double all = combgpu__tsp_excess_beyond(e, e->largest), cap = 0, next = e->joins, most, more;
    int k;
    if (combgpu__tsp_excess_fine(e, all)) return all;
    for (k = 0; k < instance->fixed_count; k++) {
        size_t a = (size_t)instance->fixed[2 * k], b = (size_t)instance->fixed[2 * k + 1];
        double weight = e->weights[a * (size_t)e->n + b];
        if (a != b && weight > next && weight <= e->largest) next = weight;
    }
    for (;;) {
        do {
            most = next;
            more = combgpu__tsp_excess_beyond(e, most);
            next = combgpu__tsp_excess_below(e, more);
        } while (next > most);
        if (!(more < e->largest / COMBGPU__TERMS_FAR)) break;
        if (cap > 0 && !combgpu__tsp_excess_fine(e, more)) break;
        cap = more;
        next = combgpu__tsp_excess_above(e, more);
    }
    return cap > 0 ? cap : all;
}

/* ---- the weights of the search */

/* The nearest whole number, as a double. */
COMBGPU__PRIVATE double combgpu__tsp_whole(double units)
{
    double whole = combgpu__floor(units);
    return whole + (units - whole >= 0.5);
}

/* Replaces weights[n*n], the caller's, by the searched ones. Shifted weights become multiples of
   2^-grid, at most 2^53 of them up to the cap. */
COMBGPU__PRIVATE void combgpu__tsp_terms_apply(combgpu__tsp_terms *terms, int n, int integral,
                                               double least, double *weights)
{
    int grid = 0, i, j, exact = 1;
    double base;
    if (!integral) {
        (void)frexp(terms->cap, &grid);
        grid = 53 - grid;
        terms->cap = ldexp(combgpu__ceil(ldexp(terms->cap, grid)), -grid);
    }
    base = combgpu__tsp_whole(ldexp(least, grid));
    terms->shift = ldexp(base, -grid);
    terms->beyond = COMBGPU__TERMS_NONE;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double *at = weights + (size_t)i * (size_t)n + (size_t)j, weight = *at;
            int missing = combgpu__tsp_missing(weight);
            *at = 0;
            if (i == j) continue;
            if (missing || weight - least > terms->cap) {
                *at = terms->cap;
                if (missing || weight >= terms->beyond) continue;
                terms->beyond = weight;
                terms->from = i;
                terms->to = j;
            } else if (least < 0) {
                double units = ldexp(weight, grid), whole = combgpu__tsp_whole(units);
                exact &= whole == units;
                *at = ldexp(whole - base, -grid);
            } else
                *at = weight;
        }
    if (!exact) terms->error = ldexp(0.5, -grid);
}

/* Refuses a weight that makes rounding lose others. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_refuse(combgpu_context *ctx, double weight,
                                                          int from, int to)
{
    return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                         "the weight from city %d to city %d (counted from 0) is %g: rounding "
                         "loses smaller weights beside it. If it means \"no connection\", "
                         "use COMBGPU_TSP_NO_CONNECTION",
                         from, to, weight);
}

/* Refuses searched weights whose rounding may change tours by more than 2^-30 of the shortest. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_check(combgpu_context *ctx,
                                                         const combgpu__tsp_terms *terms,
                                                         double joins,
                                                         const combgpu_tsp_instance *searched)
{
    combgpu__tsp_weights kind;
    double most = -1, error = terms->error;
    int n = searched->n, from = 0, to = 0, i;
    combgpu_status status = combgpu__tsp_check_weights(ctx, searched, &kind);
    if (status) return status;
    error += combgpu__tsp_unit_error(searched, kind.scale);
    if (2 * n * error <= joins / 1073741824 || !(joins > 0)) return COMBGPU_OK;
    for (i = 0; i < n * n; i++) {
        double weight = searched->weights[i];
        if (i % (n + 1) == 0 || weight <= most || weight == terms->cap) continue;
        most = weight;
        from = i / n;
        to = i % n;
    }
    return combgpu__tsp_terms_refuse(ctx, most + terms->shift, from, to);
}

/* Sets the terms of an instance, and weights[n*n] to the searched ones. key[n]: memory. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_set(combgpu_context *ctx,
                                                       const combgpu_tsp_instance *instance,
                                                       const combgpu__tsp_weights *kind,
                                                       double *weights, double *key,
                                                       combgpu__tsp_terms *terms)
{
    combgpu_tsp_instance searched = *instance;
    combgpu__tsp_excess e;
    searched.weights = weights;
    e = combgpu__tsp_excess_of(instance, kind, weights, key);
    terms->cap = combgpu__tsp_excess_cap(&e, instance);
    memcpy(weights, instance->weights, (size_t)e.n * (size_t)e.n * sizeof *weights);
    if (kind->missing || kind->least < 0 || e.largest > terms->cap)
        combgpu__tsp_terms_apply(terms, e.n, e.whole && terms->cap <= 9007199254740992.0,
                                 kind->least, weights);
    else
        terms->cap = 0;
    return e.n > COMBGPU_TSP_MAX_TOUR ? COMBGPU_OK
                                      : combgpu__tsp_terms_check(ctx, terms, e.joins, &searched);
}

/* Reads the weights; *wanted: the instance may need terms of its own. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_wanted(combgpu_context *ctx,
                                                          const combgpu_tsp_instance *instance,
                                                          combgpu__tsp_weights *kind, int *wanted)
{
    combgpu_status status = combgpu__tsp_check_weights(ctx, instance, kind);
    *wanted =
        !status && (kind->missing || kind->least < 0 ||
                    (instance->metric == COMBGPU_TSP_MATRIX && /* no weight of points is huge */
                     combgpu__tsp_unit_error(instance, kind->scale) > 0));
    return status;
}

/* ---- the findings in the caller's numbers */

/* The copy of an array, which may be NULL. */
COMBGPU__PRIVATE double *combgpu__tsp_terms_copy(combgpu_context *ctx, const double *from,
                                                 size_t count, combgpu_status *status)
{
    size_t bytes = combgpu__bytes(count, sizeof(double));
    double *copy = *status || !from ? NULL : (double *)combgpu__allocate(ctx, bytes);
    if (!copy && !*status && from) *status = combgpu__no_memory(ctx, bytes);
    if (copy) memcpy(copy, from, bytes);
    return copy;
}

COMBGPU__COLD_BEGIN
/* Sets the terms of desc->instance. If these are its own, *searched, whose weights the caller
   releases, takes its place; NULL where nothing was made. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_make(combgpu_context *ctx,
                                                        combgpu_tsp_desc *desc,
                                                        combgpu_tsp_instance *searched,
                                                        combgpu__tsp_terms *terms)
{
    const combgpu_tsp_instance *instance = desc->instance;
    size_t n = (size_t)instance->n;
    combgpu__tsp_weights kind;
    int wanted;
    double *key;
    combgpu_status status;
    memset(terms, 0, sizeof *terms);
    *searched = *instance;
    searched->weights = NULL;
    if (!instance->weights) return COMBGPU_OK;
    status = combgpu__tsp_terms_wanted(ctx, instance, &kind, &wanted);
    if (status || !wanted) return status;
    searched->weights = combgpu__tsp_terms_copy(ctx, instance->weights, n * n, &status);
    key = combgpu__tsp_terms_copy(ctx, instance->weights, n, &status);
    if (!status)
        status = combgpu__tsp_terms_set(ctx, instance, &kind, searched->weights, key, terms);
    combgpu__release(ctx, key);
    if (!status) desc->instance = searched;
    return status;
}

/* Keeps the caller's weights, or those that were measured, for lengths. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_keep(combgpu_context *ctx,
                                                        combgpu__tsp_terms *terms,
                                                        const combgpu_tsp_instance *instance,
                                                        combgpu_tsp_instance *measured)
{
    size_t n = (size_t)instance->n;
    combgpu_status status = COMBGPU_OK;
    terms->given = *instance;
    terms->own = measured->weights;
    measured->weights = NULL;
    if (!terms->own) terms->own = combgpu__tsp_terms_copy(ctx, instance->weights, n * n, &status);
    terms->given.weights = terms->own;
    if (!status) terms->grid = combgpu__tsp_grid(&terms->given);
    return status;
}
COMBGPU__COLD_END

/* The legs of a tour of all cities. */
COMBGPU__PRIVATE int combgpu__tsp_legs(int n, combgpu_tsp_shape shape)
{
    return n - 1 + (shape == COMBGPU_TSP_CYCLE && n > 1);
}

/* The length of a tour, rounded once, or down; infinite with a missing leg. *over: it has a leg
   whose weight is the cap; *missing: a missing one. */
COMBGPU__PRIVATE double combgpu__tsp_terms_length(const combgpu__tsp_terms *terms,
                                                  combgpu_tsp_shape shape, const int *tour,
                                                  int down, int *over, int *missing)
{
    const combgpu_tsp_instance *given = &terms->given;
    int n = given->n, legs = combgpu__tsp_legs(n, shape), i;
    combgpu__tsp_sum sum;
    memset(&sum, 0, sizeof sum);
    *over = *missing = 0;
    for (i = 0; i < legs; i++) {
        double weight = combgpu__tsp_weight(given, tour[i], tour[(i + 1) % n]);
        if (combgpu__tsp_missing(weight))
            *missing = 1;
        else
            combgpu__tsp_sum_add(&sum, weight);
        *over |= *missing || (terms->cap > 0 && weight >= terms->beyond);
    }
    return *missing ? HUGE_VAL : combgpu__tsp_sum_round(&sum, down);
}

/* A number of units of 2^-scale, less `error`, as a bound of tours of `legs` legs: at least 0 in
   the search's weights, not above the truth in the caller's numbers. */
COMBGPU__PRIVATE double combgpu__tsp_terms_bound(const combgpu__tsp_terms *terms, int legs,
                                                 int64_t units, int scale, double error)
{
    combgpu__tsp_sum sum, zero;
    int i;
    memset(&zero, 0, sizeof zero);
    sum = zero;
    combgpu__tsp_sum_add_whole(&sum, units, -scale);
    combgpu__tsp_sum_add(&sum, -error);
    if (combgpu__tsp_sum_carry(&sum)) sum = zero;
    for (i = 0; i < legs; i++)
        combgpu__tsp_sum_add(&sum, terms->shift);
    return combgpu__tsp_sum_round(&sum, 1);
}

/* The number of a tour among all permutations in lexicographic order; the largest number above 20
   cities. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_rank(int n, const int *tour)
{
    uint64_t rank = 0;
    int i, k;
    if (n > 20) return UINT64_MAX;
    for (i = 0; i < n; i++) {
        int smaller = 0;
        for (k = i + 1; k < n; k++)
            smaller += tour[k] < tour[i];
        rank = rank * (uint64_t)(n - i) + (uint64_t)smaller;
    }
    return rank;
}

/* Fills in the result from a tour and a bound in units of 2^-scale. `proven`: the tour is shortest
   in units, each of which may be `error` off a leg's weight, but for `grain` of the whole. Returns
   OK or a failure. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_terms_conclude(combgpu_context *ctx,
                                                            const combgpu__tsp_terms *terms,
                                                            const int *tour, int64_t bound,
                                                            int scale, double error, double grain,
                                                            int proven, combgpu_tsp_result *result)
{
    int n = terms->given.n, legs = combgpu__tsp_legs(n, result->shape), over, missing, i;
    double slack = legs * (error + terms->error) * 1.000001, tolerance = 2 * slack + grain;
    result->n = n;
    result->length = combgpu__tsp_terms_length(terms, result->shape, tour, 0, &over, &missing);
    result->feasible = !missing;
    if (proven && over && terms->beyond < COMBGPU__TERMS_NONE)
        return combgpu__tsp_terms_refuse(ctx, terms->beyond, terms->from, terms->to);
    result->optimal = proven;
    result->lower_bound = combgpu__tsp_terms_bound(terms, legs, bound, scale, slack + grain);
    if (proven && tolerance < terms->grid) { /* no tour fits between */
        tolerance = 0;
        result->lower_bound =
            combgpu__tsp_terms_length(terms, result->shape, tour, 1, &over, &missing);
    }
    if (result->feasible && result->lower_bound > result->length)
        result->lower_bound = result->length;
    if (result->feasible && result->lower_bound < result->length) result->tolerance = tolerance;
    if (!result->feasible && proven) result->lower_bound = HUGE_VAL;
    for (i = 0; i < n && n <= COMBGPU_TSP_MAX_TOUR; i++)
        result->tour[i] = result->feasible ? tour[i] : 0;
    if (result->feasible && terms->out) memcpy(terms->out, tour, (size_t)n * sizeof *tour);
    if (result->feasible) result->rank = combgpu__tsp_rank(n, tour);
    if (!result->optimal) /* else the gap is 0 */
        result->gap = result->feasible && fabs(result->lower_bound) > 0
                          ? (result->length - result->lower_bound) / fabs(result->lower_bound)
                          : HUGE_VAL;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__tsp_terms_release(combgpu_context *ctx, combgpu__tsp_terms *terms)
{
    combgpu__release(ctx, terms->own);
    terms->own = NULL;
}

/* The data that a job needs of a checked description. */
typedef struct combgpu__tsp_draft {
    combgpu_tsp_desc desc;             /* method and instance are those of the search */
    const combgpu_tsp_instance *given; /* the caller's */
    combgpu_tsp_instance measured;     /* the weights of points; NULL = none */
    combgpu_tsp_instance searched;     /* weights with terms of their own; NULL = none */
    combgpu__tsp_terms terms;
} combgpu__tsp_draft;

COMBGPU__PRIVATE void combgpu__tsp_forget(combgpu_context *ctx, void *draft)
{
    combgpu__release(ctx, ((combgpu__tsp_draft *)draft)->measured.weights);
    combgpu__release(ctx, ((combgpu__tsp_draft *)draft)->searched.weights);
}
