/* Makes a batch's tables: the instances as whole numbers. */

/* Lists the subsets of m cities by ascending size. */
COMBGPU__PRIVATE void combgpu__batch_subsets(uint32_t *subsets, int m)
{
    uint32_t place = 0, set;
    int size;
    for (size = 0; size <= m; size++)
        for (set = 0; set >> m == 0; set++)
            if (combgpu__popcount64(set) == size) subsets[place++] = set;
}

/* Nonzero if instance k has a weight below 0. */
COMBGPU__PRIVATE int combgpu__batch_negative(const combgpu_tsp_batch_desc *desc, uint64_t k)
{
    int n = desc->cities ? desc->cities[k] : desc->n, found = 0, i, j;
    for (i = 0; n <= desc->n && i < n; i++)
        for (j = 0; j < n; j++)
            found |= (combgpu__batch_given(desc, k, i, j) < 0) & (i != j);
    return found;
}

typedef struct combgpu__batch_ranging {
    const combgpu_tsp_batch_desc *desc;
    double most, tight;   /* numbers of 32 and of 16 bits */
    uint32_t wide, large; /* shared: some number is above */
} combgpu__batch_ranging;

/* Checks 4,096 instances. */
COMBGPU__PRIVATE void combgpu__batch_range_pass(void *user, int block, int thread)
{
    combgpu__batch_ranging *r = (combgpu__batch_ranging *)user;
    const combgpu_tsp_batch_desc *desc = r->desc;
    const double most = r->most, tight = r->tight;
    uint64_t k = (uint64_t)block * 4096, last = k + 4096 < desc->count ? k + 4096 : desc->count;
    size_t each = (size_t)desc->n * (size_t)(desc->x ? 1 : desc->n);
    size_t i = (size_t)k * each, end = (size_t)last * each;
    int wide = 0, large = 0;
    (void)thread;
    for (; desc->x && i < end; i++) {
        wide |= !(fabs(desc->x[i]) <= most) | !(fabs(desc->y[i]) <= most);
        large |= !(fabs(desc->x[i]) <= tight) | !(fabs(desc->y[i]) <= tight);
    }
    for (; desc->weights && i < end; i++) {
        double number = desc->weights[i], within = fabs(number) <= most ? number : 0.5;
        wide |= within != (double)(int32_t)within;
        large |= within > tight;
    }
    for (; desc->int_weights && i < end; i++) {
        wide |= (desc->int_weights[i] > most) | (desc->int_weights[i] < -most);
        large |= desc->int_weights[i] > tight;
    }
    for (; !desc->x && k < last; k++)
        wide |= combgpu__batch_negative(desc, k);
    combgpu__shared_or(&r->wide, (uint32_t)wide);
    combgpu__shared_or(&r->large, (uint32_t)large);
}

/* Returns the bits that surely suffice for a cost: 16 if the table then fits a GPU's local memory,
   32 or 64. The caller's numbers need not be valid. */
COMBGPU__PRIVATE uint32_t combgpu__batch_bits(combgpu_context *ctx,
                                              const combgpu_tsp_batch_desc *desc, int middles)
{
    combgpu__batch_ranging r;
    if (desc->x && !combgpu__tsp_rounds(desc->metric)) return 64;
    if (desc->x && combgpu__tsp_on_sphere(desc->metric)) return 32; /* n half circles, at most */
    r.desc = desc;
    r.most = (double)COMBGPU__TSP_NARROW / (desc->n + 1);
    r.tight = 65535.0 / (middles + 1);
    r.wide = 0;
    r.large = middles > COMBGPU__BATCH_LOCAL;
    if (desc->x) { /* a rounded distance is at most |dx| + |dy| + 1 */
        r.most = r.most / 4 - 2;
        r.tight = r.tight / 4 - 2;
    }
    combgpu__loop(ctx, combgpu__threads(ctx), (int)((desc->count + 4095) / 4096), 1,
                  combgpu__batch_range_pass, &r);
    return r.wide ? 64 : r.large ? 32 : 16;
}

/* Stores an instance's numbers. */
COMBGPU__PRIVATE void combgpu__batch_store(const combgpu__tsp *tsp, int most, int wide,
                                           uint32_t *to)
{
    int64_t numbers[1 + COMBGPU__BATCH_MOST * (COMBGPU__BATCH_MOST + 2)] = {0};
    int count = 1 + most * (most + 2), m = tsp->m, i;
    numbers[0] = m;
    memcpy(numbers + 1, tsp->first, (size_t)m * sizeof *numbers);
    memcpy(numbers + 1 + most, tsp->last, (size_t)m * sizeof *numbers);
    for (i = 0; i < m; i++)
        memcpy(numbers + 1 + (2 + i) * most, tsp->legs + i * COMBGPU__TSP_MOST,
               (size_t)m * sizeof *numbers);
    if (!m) numbers[1] = tsp->nothing; /* the cost of the only tour */
    for (i = 0; !wide && i < count; i++)
        to[i] = (uint32_t)numbers[i];
    if (wide) memcpy(to, numbers, (size_t)count * sizeof *numbers);
}

/* Brings instance k to its form, keeps its terms and adds them to *hash. Returns 0 if it is invalid, or
   without memory. */
COMBGPU__PRIVATE int combgpu__batch_load_slowly(combgpu_context *ctx, const combgpu__batch *batch,
                                                uint64_t k, combgpu__tsp *tsp, uint64_t *hash)
{
    double weights[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
    combgpu__batch_terms *own = NULL;
    memset(tsp, 0, sizeof *tsp);
    if (combgpu__batch_form(NULL, &batch->desc, k, tsp, weights)) return 0;
    if (batch->exact) batch->exact[k] = !(tsp->error > 0);
    if (!(tsp->terms.cap > 0)) return 1;
    combgpu__lock_take(combgpu__context_lock(ctx));
    own = (combgpu__batch_terms *)combgpu__allocate_zeroed(ctx, sizeof *own);
    combgpu__lock_free(combgpu__context_lock(ctx));
    batch->terms[k] = own;
    if (!own) return 0;
    memcpy(own->weights, weights, (size_t)(tsp->n * tsp->n) * sizeof *weights);
    own->terms = tsp->terms;
    own->terms.error += tsp->error;
    own->terms.given.n = tsp->n;
    own->terms.given.weights = own->weights;
    own->cap = combgpu__tsp_cost(own->terms.cap, tsp->scale);
    *hash =
        combgpu__fnv(combgpu__mix((uint64_t)own->cap), &own->terms.shift, sizeof own->terms.shift);
    return 1;
}

/* Loads instances k .. end - 1, 8 at a time. Returns the first invalid one, or `end`. */
COMBGPU__PRIVATE uint64_t combgpu__batch_load_block(combgpu_context *ctx,
                                                    const combgpu__batch *batch,
                                                    const combgpu__batch_plan *plans, uint64_t k,
                                                    uint64_t end, uint32_t *numbers, uint64_t *hash)
{
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    size_t words = batch->stride * (1 + (size_t)batch->wide);
    for (; k < end; k += 8) {
        int count = end - k < 8 ? (int)(end - k) : 8, i;
        uint64_t hashes[8], own[8] = {0};
        for (i = 0; i < count; i++) {
            uint64_t at = k + (uint64_t)i;
            uint32_t *to = numbers + (size_t)at * words;
            int n = desc->cities ? desc->cities[at] : desc->n, scale = 0;
            if (n < 1 || n > desc->n) return at;
            size_t first = (size_t)at * (size_t)desc->n;
            if (!combgpu__batch_load_one(batch, &plans[n], at, desc->x ? desc->x + first : NULL,
                                         desc->x ? desc->y + first : NULL, to, &scale)) {
                combgpu__tsp tsp;
                if (!combgpu__batch_load_slowly(ctx, batch, at, &tsp, own + i)) return at;
                combgpu__batch_store(&tsp, batch->most, batch->wide, to);
                scale = tsp.scale;
            }
            batch->scales[at] = (int16_t)scale;
        }
        combgpu__batch_hashes(batch, numbers + (size_t)k * words, batch->scales + k, count, hashes);
        for (i = 0; i < count; i++)
            *hash += combgpu__mix(combgpu__mix(k + (uint64_t)i) + hashes[i] + own[i]);
    }
    return end;
}

/* Instances loaded by several threads. */
typedef struct combgpu__batch_loading {
    combgpu_context *ctx;
    const combgpu_tsp_batch_desc *desc;
    const combgpu__batch *batch;
    const combgpu__batch_plan *plans;
    uint32_t *numbers;
    uint64_t sum, bad; /* of hashes; the first invalid instance, or count */
    combgpu__lock lock;
} combgpu__batch_loading;

COMBGPU__PRIVATE void combgpu__batch_loaded(combgpu__batch_loading *l, uint64_t sum, uint64_t bad)
{
    combgpu__lock_take(&l->lock);
    l->sum += sum;
    if (bad < l->bad) l->bad = bad;
    combgpu__lock_free(&l->lock);
}

COMBGPU__PRIVATE void combgpu__batch_load_pass(void *user, int block, int thread)
{
    combgpu__batch_loading *l = (combgpu__batch_loading *)user;
    uint64_t count = l->desc->count, k = (uint64_t)block * 256, sum = 0, first;
    uint64_t end = k + 256 < count ? k + 256 : count;
    (void)thread;
    first = combgpu__batch_load_block(l->ctx, l->batch, l->plans, k, end, l->numbers, &sum);
    combgpu__batch_loaded(l, sum, first < end ? first : count);
}

/* Loads all instances; *hash identifies them. Returns the first invalid instance, or count. The
   caller makes the message, because threads must not share the context. */
COMBGPU__PRIVATE uint64_t combgpu__batch_load(combgpu_job *job, const combgpu__batch_plan *plans,
                                              uint32_t *numbers, uint64_t *hash)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__batch_loading l;
    int blocks;
    memset(&l, 0, sizeof l);
    l.ctx = ctx;
    l.batch = (const combgpu__batch *)combgpu__state(job);
    l.desc = &l.batch->desc;
    l.plans = plans;
    l.numbers = numbers;
    l.bad = l.desc->count;
    blocks = (int)((l.desc->count + 255) / 256);
    combgpu__loop(ctx, blocks > 8 ? combgpu__threads(ctx) : 1, blocks, 1, combgpu__batch_load_pass,
                  &l);
    *hash = l.sum;
    return l.bad;
}

/* Makes the tables of numbers. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_numbers_tables(combgpu_job *job,
                                                              const combgpu__batch_plan *plans)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    size_t head = COMBGPU__BATCH_HEAD(batch->most), words, bytes;
    uint32_t *tables, bits;
    uint64_t hash, bad;
    combgpu_status status;
    bits = combgpu__batch_bits(combgpu__context(job), desc, batch->most);
    batch->wide = bits == 64;
    words = (size_t)desc->count * batch->stride * (1 + (size_t)batch->wide) + head;
    status = combgpu__job_raw_tables(job, words); /* all words are written */
    if (status) return status;
    bytes = (size_t)desc->count * sizeof *batch->scales;
    batch->scales = (int16_t *)combgpu__allocate(combgpu__context(job), bytes);
    if (!batch->scales) return combgpu__no_memory(combgpu__context(job), bytes);
    bytes = combgpu__bytes((size_t)desc->count, sizeof *batch->terms);
    if (batch->wide && !desc->x) {
        batch->terms =
            (combgpu__batch_terms **)combgpu__allocate_zeroed(combgpu__context(job), bytes);
        if (!batch->terms) return combgpu__no_memory(combgpu__context(job), bytes);
        bytes = (size_t)desc->count;
        batch->exact = (unsigned char *)combgpu__allocate_zeroed(combgpu__context(job), bytes);
        if (!batch->exact) return combgpu__no_memory(combgpu__context(job), bytes);
    }
    tables = combgpu__tables(job);
    bad = combgpu__batch_load(job, plans, tables + head, &hash);
    if (bad < desc->count) return combgpu__batch_refuse(combgpu__context(job), desc, bad);
    memset(tables, 0, COMBGPU__BATCH_AT_SUBSETS * sizeof *tables);
    tables[COMBGPU__BATCH_AT_WIDE] = (uint32_t)batch->wide;
    tables[COMBGPU__BATCH_AT_BITS] = bits;
    combgpu__batch_name(job, hash);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_tables(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)combgpu__state(job);
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    combgpu__batch_plan plans[COMBGPU__BATCH_MOST + 1];
    combgpu_status status = COMBGPU_OK;
    int n, m;
    if (desc->count > SIZE_MAX / 4096) return combgpu__no_memory(combgpu__context(job), SIZE_MAX);
    batch->most = desc->n - (desc->shape == COMBGPU_TSP_CYCLE || COMBGPU__TSP_START(desc) >= 0) -
                  (desc->shape == COMBGPU_TSP_PATH && COMBGPU__TSP_END(desc) >= 0);
    if (batch->most < 1) batch->most = 1; /* room for the cost of an only tour */
    batch->stride = 1 + (size_t)batch->most * ((size_t)batch->most + 2);
    for (n = 1; n <= desc->n; n++)
        combgpu__batch_arrange(desc, n, &plans[n]);
    if (combgpu__batch_points_allowed(job)) status = combgpu__batch_points_tables(job, plans);
    if (!status && !batch->points) status = combgpu__batch_numbers_tables(job, plans);
    if (status) return status;
    combgpu__tables(job)[COMBGPU__BATCH_AT_MOST] = (uint32_t)batch->most;
    for (m = 0; m <= batch->most; m++)
        combgpu__batch_subsets(combgpu__tables(job) + COMBGPU__BATCH_AT_SUBSETS + ((size_t)1 << m),
                               m);
    return COMBGPU_OK;
}
