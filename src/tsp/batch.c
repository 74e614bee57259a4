/* ==================================================== SECTION 52: travelling salesman, batches == */
/* Held-Karp for many small instances: f(c, T) = the least cost of going from c through all of the
   set T to the end, in the form of SECTION 50, all of it in a worker's own memory. A task is a range
   of instances; each solved instance is a record {number, cost, order}, 64 bits each, an order with
   4 bits a city. */

#define COMBGPU__BATCH_MOST COMBGPU_TSP_BATCH_DIMENSION /* middle cities */
#define COMBGPU__BATCH_ROW 16                           /* C solver: f(0 .. 15, T) */
#define COMBGPU__BATCH_RECORD_WORDS 6
#define COMBGPU__BATCH_SOLVED COMBGPU__TOTALS /* in job->sums */

/* What the solvers and kernels read:

     words 0..7   the most middle cities M, wide, 0 ...
     2 << M       for each m <= M: the subsets of m cities by size, from word 8 + (1 << m) on
     then         each instance: m, first[M], last[M], legs[M * M] (from * M + to), as 32-bit numbers,
                  or all as 64-bit ones if `wide` */
#define COMBGPU__BATCH_HEAD 8

typedef struct combgpu__batch {
    combgpu_tsp_batch_desc desc;
    int most, wide;
    size_t stride;   /* numbers of an instance */
    int16_t *scales; /* the unit of instance k's costs is 2^-scales[k] */
} combgpu__batch;

/* ---- validate */

COMBGPU__PRIVATE combgpu_status combgpu__batch_check(combgpu_context *ctx,
                                                     const combgpu_tsp_batch_desc *desc)
{
    int given = (desc->weights != NULL) + (desc->int_weights != NULL) + (desc->x || desc->y);
    if (desc->count < 1 || desc->count > UINT64_C(4000000000))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "count is %llu; it may be 1 to 4000000000",
                             (unsigned long long)desc->count);
    if (desc->n < 1 || desc->n > COMBGPU_TSP_BATCH_DIMENSION)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "n is %d; it may be 1 to %d", desc->n,
                             COMBGPU_TSP_BATCH_DIMENSION);
    if (given != 1)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%d of weights, int_weights, and x with y are set; it must be one",
                             given);
    if (!desc->x != !desc->y)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc->x ? "y" : "x");
    return desc->x ? combgpu__tsp_check_metric(ctx, desc->metric) : COMBGPU_OK;
}

/* Instance k in the form of SECTION 50. Messages say nothing of k. */
COMBGPU__PRIVATE combgpu_status combgpu__batch_form(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc, uint64_t k,
                                                    combgpu__tsp *tsp)
{
    double weights[COMBGPU__BATCH_MOST * COMBGPU__BATCH_MOST];
    size_t n = (size_t)desc->n, at = (size_t)k * n, i, j;
    combgpu_tsp_instance instance;
    combgpu_tsp_desc one;
    combgpu_status status;
    memset(&instance, 0, sizeof instance);
    memset(&one, 0, sizeof one);
    instance.n = desc->cities ? desc->cities[k] : desc->n;
    if (instance.n < 1 || instance.n > desc->n)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "cities is %d; it may be 1 to n, %d",
                             instance.n, desc->n);
    instance.weights = weights;
    instance.metric = desc->metric;
    one.instance = &instance;
    one.shape = desc->shape;
    one.path_start = desc->path_start;
    one.path_end = desc->path_end;
    for (i = 0; i < (size_t)instance.n; i++)
        for (j = 0; j < (size_t)instance.n; j++)
            if (!desc->x)
                weights[i * (size_t)instance.n + j] =
                    desc->weights ? desc->weights[(at + i) * n + j]
                                  : (double)desc->int_weights[(at + i) * n + j];
    if (desc->x) {
        status = combgpu__tsp_measure(ctx, instance.n, desc->x + at, desc->y + at, desc->metric,
                                      weights);
        if (status) return status;
    }
    status = combgpu__tsp_check_desc(ctx, &one);
    return status ? status : combgpu__tsp_form(ctx, &one, tsp);
}

/* ---- tables */

/* The subsets of m cities, those of one size after those of the next smaller one. */
COMBGPU__PRIVATE void combgpu__batch_subsets(uint32_t *subsets, int m)
{
    uint32_t place = 0, set;
    int size;
    for (size = 0; size <= m; size++)
        for (set = 0; set >> m == 0; set++)
            if (combgpu__popcount64(set) == size) subsets[place++] = set;
}

/* Nonzero if 32-bit numbers may not do: the caller's numbers as they are, checked or not. */
COMBGPU__PRIVATE int combgpu__batch_wide(const combgpu_tsp_batch_desc *desc)
{
    uint64_t all = desc->count * (uint64_t)(desc->n * (desc->x ? 1 : desc->n)), i;
    double most = (double)COMBGPU__TSP_NARROW / (desc->n + 1);
    if (desc->x && (desc->metric == COMBGPU_TSP_PLANE || desc->metric == COMBGPU_TSP_EARTH))
        return 1;
    if (desc->x) most = most / 4 - 2; /* a rounded distance is at most |dx| + |dy| + 1 */
    for (i = 0; i < all; i++) {
        double number = desc->x ? fabs(desc->x[i]) > fabs(desc->y[i]) ? desc->x[i] : desc->y[i]
                        : desc->weights ? desc->weights[i]
                                        : (double)desc->int_weights[i];
        if (!(number <= most && number >= -most)) return 1;
        if (desc->weights && number != (double)(int32_t)number) return 1;
    }
    return 0;
}

/* Stores an instance's numbers; returns a hash of them. */
COMBGPU__PRIVATE uint64_t combgpu__batch_store(const combgpu__tsp *tsp, int most, int wide,
                                               uint32_t *to)
{
    int64_t numbers[1 + COMBGPU__BATCH_MOST * (COMBGPU__BATCH_MOST + 2)] = {0};
    uint64_t hash = (uint64_t)tsp->m << 16 | (uint64_t)(uint16_t)tsp->scale;
    int count = 1 + most * (most + 2), m = tsp->m, i;
    numbers[0] = m;
    memcpy(numbers + 1, tsp->first, (size_t)m * sizeof *numbers);
    memcpy(numbers + 1 + most, tsp->last, (size_t)m * sizeof *numbers);
    for (i = 0; i < m; i++)
        memcpy(numbers + 1 + (2 + i) * most, tsp->legs + i * COMBGPU__TSP_MOST,
               (size_t)m * sizeof *numbers);
    if (!m) numbers[1] = tsp->nothing; /* what the only tour costs */
    for (i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)numbers[i]) * UINT64_C(1099511628211); /* FNV-1a, 64 bits a time */
        if (!wide) to[i] = (uint32_t)numbers[i];
    }
    if (wide) memcpy(to, numbers, (size_t)count * sizeof *numbers);
    return hash;
}

/* All instances; *hash identifies them. Returns the first one that is not valid, or count: threads
   must not share the context, so the caller makes the message. */
COMBGPU__PRIVATE uint64_t combgpu__batch_load(combgpu_job *job, uint32_t *numbers, uint64_t *hash)
{
    combgpu__batch *batch = (combgpu__batch *)job->state;
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    int64_t blocks = (int64_t)((desc->count + 255) / 256), block;
    size_t words = batch->stride * (1 + (size_t)batch->wide);
    uint64_t sum = 0, bad = desc->count;
#ifdef _OPENMP
    int threads = job->ctx->desc.threads > 0 ? job->ctx->desc.threads : omp_get_max_threads();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)                  \
    reduction(min : bad) if (blocks > 8)
#endif
    for (block = 0; block < blocks; block++) {
        uint64_t k = (uint64_t)block * 256, end = k + 256 < desc->count ? k + 256 : desc->count;
        combgpu__tsp tsp;
        memset(&tsp, 0, sizeof tsp);
        for (; k < end; k++) {
            if (combgpu__batch_form(NULL, desc, k, &tsp)) {
                if (k < bad) bad = k;
                break;
            }
            batch->scales[k] = (int16_t)tsp.scale;
            sum +=
                combgpu__mix(combgpu__mix(k) + combgpu__batch_store(&tsp, batch->most, batch->wide,
                                                                    numbers + (size_t)k * words));
        }
    }
    *hash = sum;
    return bad;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_tables(combgpu_job *job)
{
    combgpu__batch *batch = (combgpu__batch *)job->state;
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    size_t head, bytes;
    uint64_t hash, bad;
    combgpu_status status;
    int m;
    if (desc->count > SIZE_MAX / 4096) return combgpu__no_memory(job->ctx, SIZE_MAX);
    batch->most = desc->n - (desc->shape == COMBGPU_TSP_CYCLE || desc->path_start > 0) -
                  (desc->shape == COMBGPU_TSP_PATH && desc->path_end > 0);
    if (batch->most < 1) batch->most = 1; /* there is room for the cost of an only tour */
    batch->stride = 1 + (size_t)batch->most * ((size_t)batch->most + 2);
    batch->wide = combgpu__batch_wide(desc);
    head = COMBGPU__BATCH_HEAD + ((size_t)2 << batch->most);
    bytes =
        ((size_t)desc->count * batch->stride * (1 + (size_t)batch->wide) + head) * sizeof(uint32_t);
    job->tables = (uint32_t *)combgpu__allocate(job->ctx, bytes); /* all of it is written below */
    if (!job->tables) return combgpu__no_memory(job->ctx, bytes);
    job->tables_bytes = bytes;
    bytes = (size_t)desc->count * sizeof *batch->scales;
    batch->scales = (int16_t *)combgpu__allocate(job->ctx, bytes);
    if (!batch->scales) return combgpu__no_memory(job->ctx, bytes);
    bad = combgpu__batch_load(job, job->tables + head, &hash);
    if (bad < desc->count) {
        combgpu_context scratch; /* for the message alone: what is wrong with that instance? */
        combgpu__tsp tsp;
        memset(&scratch, 0, sizeof scratch);
        memset(&tsp, 0, sizeof tsp);
        status = combgpu__batch_form(&scratch, desc, bad, &tsp);
        return combgpu__fail(job->ctx, status, "instance %llu (counted from 0): %.400s",
                             (unsigned long long)bad, scratch.message);
    }
    memset(job->tables, 0, head * sizeof(uint32_t));
    job->tables[0] = (uint32_t)batch->most;
    job->tables[1] = (uint32_t)batch->wide;
    for (m = 0; m <= batch->most; m++)
        combgpu__batch_subsets(job->tables + COMBGPU__BATCH_HEAD + ((size_t)1 << m), m);
    snprintf(job->parameters, sizeof job->parameters,
             "batch %llu n %d shape %d ends %d %d weights %016llx", (unsigned long long)desc->count,
             desc->n, (int)desc->shape, desc->path_start, desc->path_end, (unsigned long long)hash);
    return COMBGPU_OK;
}

/* ---- frontier */

COMBGPU__PRIVATE combgpu_status combgpu__batch_frontier(combgpu_job *job)
{
    return combgpu__push_range(job, 0, ((const combgpu__batch *)job->state)->desc.count, 65536);
}

/* ---- C solver */

/* Where a table's instance k begins. */
COMBGPU__PRIVATE const uint32_t *combgpu__batch_numbers(const uint32_t *tables, uint64_t k)
{
    size_t most = tables[0], stride = 1 + most * (most + 2);
    return tables + COMBGPU__BATCH_HEAD + ((size_t)2 << most) +
           (size_t)k * stride * (1 + (size_t)tables[1]);
}

/* Rows f(0 .. 15, T) for T in ascending order: a row is the minimum of the rows of T's members, each
   a broadcast cost plus a column of legs, so compilers turn the inner loop into vector code. Entries
   for members of T are never read. */
#define COMBGPU__BATCH_SOLVER(BITS, COST, FAR)                                                     \
    COMBGPU__PRIVATE int64_t combgpu__batch_solve##BITS(const COST *costs, int most, COST *f,      \
                                                        uint64_t *order)                           \
    {                                                                                              \
        COST into[COMBGPU__BATCH_MOST][COMBGPU__BATCH_ROW];                                        \
        const COST *first = costs + 1, *last = first + most, *legs = last + most;                  \
        int m = (int)costs[0], i, c, place, before = -1;                                           \
        uint32_t full = (1u << m) - 1, set, rest;                                                  \
        int64_t length = 0;                                                                        \
        *order = 0;                                                                                \
        if (!m) return (int64_t)first[0];                                                          \
        for (i = 0; i < m; i++)                                                                    \
            for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                               \
                into[i][c] = c < m ? legs[c * most + i] : 0;                                       \
        for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                                   \
            f[c] = c < m ? last[c] : 0;                                                            \
        for (set = 1; set < full; set++) {                                                         \
            COST row[COMBGPU__BATCH_ROW];                                                          \
            for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                               \
                row[c] = FAR;                                                                      \
            for (rest = set; rest; rest &= rest - 1) {                                             \
                COST from;                                                                         \
                i = combgpu__lowest_bit64(rest);                                                   \
                from = f[(set ^ 1u << i) * COMBGPU__BATCH_ROW + (uint32_t)i];                      \
                for (c = 0; c < COMBGPU__BATCH_ROW; c++) {                                         \
                    COST cost = (COST)(into[i][c] + from);                                         \
                    row[c] = cost < row[c] ? cost : row[c];                                        \
                }                                                                                  \
            }                                                                                      \
            memcpy(f + set * COMBGPU__BATCH_ROW, row, sizeof row);                                 \
        }                                                                                          \
        for (rest = full, place = 0; place < m; place++) {                                         \
            COST best = FAR;                                                                       \
            int chosen = 0;                                                                        \
            for (c = 0; c < m; c++) {                                                              \
                COST cost;                                                                         \
                if (!(rest >> c & 1)) continue;                                                    \
                cost = (COST)((before < 0 ? first[c] : legs[before * most + c]) +                  \
                              f[(rest ^ 1u << c) * COMBGPU__BATCH_ROW + (uint32_t)c]);             \
                if (cost >= best) continue;                                                        \
                best = cost;                                                                       \
                chosen = c;                                                                        \
            }                                                                                      \
            if (!place) length = best;                                                             \
            *order |= (uint64_t)chosen << 4 * place;                                               \
            rest ^= 1u << chosen;                                                                  \
            before = chosen;                                                                       \
        }                                                                                          \
        return length;                                                                             \
    }

COMBGPU__BATCH_SOLVER(32, int32_t, (int32_t)1 << 30)
COMBGPU__BATCH_SOLVER(64, int64_t, (int64_t)1 << 62)

COMBGPU__PRIVATE uint64_t combgpu__batch_hash(uint64_t k, uint64_t length, uint64_t order)
{
    return combgpu__mix(combgpu__mix(combgpu__mix(k) + length) + order);
}

COMBGPU__PRIVATE void combgpu__batch_solve(combgpu__worker *worker)
{
    const uint32_t *tables = worker->tables, *task;
    char *work = (char *)worker->work + worker->index * worker->job->cpu_work_bytes_per_worker;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t k = combgpu__get64(task), end = combgpu__get64(task + 2);
        for (; k < end && !combgpu__spent(worker); k++) {
            const void *costs = combgpu__batch_numbers(tables, k);
            uint32_t record[COMBGPU__BATCH_RECORD_WORDS];
            uint64_t order, m;
            int64_t length;
            if (tables[1]) {
                length = combgpu__batch_solve64((const int64_t *)costs, (int)tables[0],
                                                (int64_t *)(void *)work, &order);
                m = (uint64_t) * (const int64_t *)costs;
            } else {
                length = combgpu__batch_solve32((const int32_t *)costs, (int)tables[0],
                                                (int32_t *)(void *)work, &order);
                m = *(const uint32_t *)costs;
            }
            combgpu__put64(record, k);
            combgpu__put64(record + 2, (uint64_t)length);
            combgpu__put64(record + 4, order);
            if (!combgpu__emit(worker, record)) break;
            worker->totals[0] += m << m >> 1;
            worker->totals[1] += combgpu__batch_hash(k, (uint64_t)length, order);
        }
        if (k < end) {
            uint32_t left[4];
            combgpu__put64(left, k);
            combgpu__put64(left + 2, end);
            combgpu__give(worker, left);
            return;
        }
    }
}

/* ---- records */

/* One number of an instance. */
COMBGPU__PRIVATE int64_t combgpu__batch_number(const combgpu_job *job, const uint32_t *numbers,
                                               size_t at)
{
    return job->tables[1] ? (int64_t)combgpu__get64(numbers + 2 * at) : (int64_t)numbers[at];
}

/* Unpacks a record's order; 0 if it is none, or does not cost what the record says. */
COMBGPU__PRIVATE int combgpu__batch_order(const combgpu_job *job, const uint32_t *record,
                                          int *order, int *m)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    uint64_t k = combgpu__get64(record), packed = combgpu__get64(record + 4);
    const uint32_t *numbers;
    size_t most = (size_t)batch->most;
    int64_t cost = 0;
    uint32_t used = 0;
    int i;
    if (k >= batch->desc.count) return 0;
    numbers = combgpu__batch_numbers(job->tables, k);
    *m = (int)combgpu__batch_number(job, numbers, 0);
    if (!*m) cost = combgpu__batch_number(job, numbers, 1);
    for (i = 0; i < *m; i++) {
        order[i] = (int)(packed >> 4 * i & 15);
        if (order[i] >= *m || used >> order[i] & 1) return 0;
        used |= 1u << order[i];
        cost += combgpu__batch_number(job, numbers,
                                      i ? 1 + (2 + (size_t)order[i - 1]) * most + (size_t)order[i]
                                        : 1 + (size_t)order[i]);
    }
    if (*m) cost += combgpu__batch_number(job, numbers, 1 + most + (size_t)order[*m - 1]);
    return (uint64_t)cost == combgpu__get64(record + 2) && packed >> 4 * *m == 0;
}

COMBGPU__PRIVATE combgpu_status combgpu__batch_record(combgpu_job *job, const uint32_t *record)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    const combgpu_tsp_batch_desc *desc = &batch->desc;
    uint64_t k = combgpu__get64(record);
    int order[COMBGPU__BATCH_MOST], m, n, front, back, city, i, at = 0;
    if (!combgpu__batch_order(job, record, order, &m))
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "kernel %s: the tour that it found for instance %llu is not as long "
                             "as it says",
                             job->kernel.name, (unsigned long long)k);
    job->sums[COMBGPU__BATCH_SOLVED]++;
    if (desc->lengths)
        desc->lengths[k] = ldexp((double)combgpu__get64(record + 2), -batch->scales[k]);
    if (desc->tours) {
        uint8_t *tour = desc->tours + (size_t)k * (size_t)desc->n;
        uint8_t middle[COMBGPU__BATCH_MOST] = {0};
        n = desc->cities ? desc->cities[k] : desc->n;
        front = desc->shape == COMBGPU_TSP_CYCLE ? 0 : desc->path_start - 1;
        back = desc->shape == COMBGPU_TSP_CYCLE ? 0 : desc->path_end - 1;
        for (i = city = 0; city < n; city++)
            if (city != front && city != back) middle[i++] = (uint8_t)city;
        if (front >= 0) tour[at++] = (uint8_t)front;
        for (i = 0; i < m; i++)
            tour[at++] = middle[order[i]];
        if (back >= 0 && back != front) tour[at++] = (uint8_t)back;
    }
    return COMBGPU_RUNNING;
}

COMBGPU__PRIVATE double combgpu__batch_fraction(const combgpu_job *job)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    double shards = job->run.shard_count > 1 ? job->run.shard_count : 1;
    double fraction = (double)job->sums[COMBGPU__BATCH_SOLVED] * shards / (double)batch->desc.count;
    return fraction < 1 ? fraction : 1;
}

COMBGPU__PRIVATE uint64_t combgpu__batch_solutions(const combgpu_job *job)
{
    return job->sums[COMBGPU__BATCH_SOLVED];
}

COMBGPU__PRIVATE int combgpu__batch_adopt_task(combgpu_job *job, uint32_t *task)
{
    const combgpu__batch *batch = (const combgpu__batch *)job->state;
    return combgpu__get64(task) < combgpu__get64(task + 2) &&
           combgpu__get64(task + 2) <= batch->desc.count;
}

COMBGPU__PRIVATE int combgpu__batch_adopt_record(combgpu_job *job, const uint32_t *record)
{
    int order[COMBGPU__BATCH_MOST], m;
    return combgpu__batch_order(job, record, order, &m);
}

COMBGPU__PRIVATE void combgpu__batch_release(combgpu_job *job)
{
    combgpu__release(job->ctx, ((combgpu__batch *)job->state)->scales);
}

static const combgpu__problem combgpu__batch_problem = {"tsp batch",
                                                        combgpu__batch_frontier,
                                                        combgpu__batch_record,
                                                        NULL,
                                                        combgpu__batch_fraction,
                                                        combgpu__batch_solutions,
                                                        combgpu__batch_adopt_task,
                                                        combgpu__batch_adopt_record,
                                                        combgpu__batch_release};

/* ---- begin, end, one-shot */

static const combgpu__kernel combgpu__batch_kernel = {
    "combgpu_tsp_batched", "TSP", combgpu__batch_solve, 128, 128, 1, 1u << 19, NULL, NULL};

COMBGPU__DEF combgpu_status combgpu_tsp_batch_begin(combgpu_context *ctx,
                                                    const combgpu_tsp_batch_desc *desc,
                                                    combgpu_job **out)
{
    combgpu_job *job;
    combgpu__batch *batch;
    combgpu_status status;
    uint64_t k;
    size_t cost_bytes, entries;
    if (out) *out = NULL;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc || !out)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s is NULL", desc ? "job" : "desc");
    status = combgpu__job_create(ctx, &combgpu__batch_problem, sizeof *batch, &desc->run, &job);
    if (status) return status;
    batch = (combgpu__batch *)job->state;
    batch->desc = *desc;
    status = combgpu__batch_check(ctx, desc);
    if (!status) status = combgpu__batch_tables(job);
    if (!status) {
        job->kernel = combgpu__batch_kernel;
        job->task_words = 4;
        job->record_words = COMBGPU__BATCH_RECORD_WORDS;
        job->record_capacity = desc->count < 1u << 18 ? (uint32_t)desc->count : 1u << 18;
        cost_bytes = batch->wide ? sizeof(int64_t) : sizeof(int32_t);
        entries = ((size_t)batch->most << batch->most) / 2 + 1;
        job->work_bytes_per_worker = (entries + 1) / 2 * 2 * cost_bytes;
        job->cpu_work_bytes_per_worker = ((size_t)COMBGPU__BATCH_ROW << batch->most) * cost_bytes;
        status = combgpu__job_start(job);
    }
    if (!status && desc->lengths && desc->run.shard_count <= 1 && !job->sums[COMBGPU__BATCH_SOLVED])
        for (k = 0; k < desc->count; k++)
            desc->lengths[k] = -1;
    return combgpu__job_begun(job, status, out);
}

COMBGPU__DEF combgpu_status combgpu_tsp_batch_end(combgpu_job *job,
                                                  combgpu_tsp_batch_result *result)
{
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    status =
        combgpu__is_job(job, job->problem == &combgpu__batch_problem, "combgpu_tsp_batch_begin");
    if (status) return status;
    status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    if (result) {
        memset(result, 0, sizeof *result);
        result->solved = job->sums[COMBGPU__BATCH_SOLVED];
        combgpu__run_info(job, job->sums[1], &result->run);
    }
    combgpu_job_cancel(job);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_batch(combgpu_context *ctx,
                                              const combgpu_tsp_batch_desc *desc,
                                              combgpu_tsp_batch_result *result)
{
    combgpu_job *job;
    combgpu_status status = combgpu_tsp_batch_begin(ctx, desc, &job);
    if (status) return status;
    combgpu__run(job);
    return combgpu_tsp_batch_end(job, result);
}

/* (end of SECTION 52) */

