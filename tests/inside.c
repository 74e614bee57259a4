/* Compiles the implementation once for all programs that the Makefile links, and gives the tests access
   to private parts (inside.h). */
#ifndef COMBGPU_IMPLEMENTATION
#define COMBGPU_IMPLEMENTATION
#endif
#include "inside.h"

void inside_set_budget(combgpu_job *job, uint32_t steps)
{
    job->budget = steps;
}

uint32_t inside_record_room(const combgpu_job *job)
{
    return job->desc.record_capacity;
}

void inside_set_record_room(combgpu_job *job, uint32_t records)
{
    job->desc.record_capacity = records;
}

void inside_limit_workers(combgpu_job *job, uint32_t most)
{
    int i;
    for (i = 0; i < job->executor_count; i++)
        if (job->executors[i].workers > most) job->executors[i].workers = most;
}

uint32_t inside_records_pending(const combgpu_job *job)
{
    return (uint32_t)(job->pending.count - job->pending.next);
}

void inside_undeliver(combgpu_job *job)
{
    job->pending.next = 0;
}

combgpu_status inside_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__as_status(job->desc.record(job, record));
}

const char *inside_kernel(const combgpu_job *job)
{
    return job->desc.kernel.name;
}

int inside_on_cpu(const combgpu_job *job)
{
    return job->executors->backend == job->ctx->host && job->ctx->backend != job->ctx->host;
}

#define INSIDE_NAME(function, part) #function,
#define INSIDE_NAME_SHARED(function, part, bytes) #function,
#define INSIDE_NAMES(room, NAME)                                                                   \
    COMBGPU__##NAME##_KERNELS(INSIDE_NAME, INSIDE_NAME_SHARED, INSIDE_NAME)

const char *inside_kernel_name(int i)
{
    static const char *const names[] = {
        /* clang-format off */
        COMBGPU__PROBE_KERNELS(INSIDE_NAME)
        COMBGPU__SEARCHES(INSIDE_NAMES)
        NULL
        /* clang-format on */
    };
    return i < (int)(sizeof names / sizeof names[0]) ? names[i] : NULL;
}

combgpu_status inside_probe(combgpu_context *ctx, int lanes)
{
    combgpu__kernel kernel = combgpu__probe_describe(lanes).kernel;
    return combgpu__probe_run(ctx, &kernel);
}

void inside_forget_message(combgpu_context *ctx)
{
    ctx->message[0] = 0;
}

uint32_t inside_crc32(const void *data, size_t bytes)
{
    return combgpu__crc32(data, bytes);
}

const char *inside_simd_name(const combgpu_context *ctx)
{
    return combgpu__simd_name(ctx->simd);
}

#ifdef COMBGPU__HAS_MAGIC
uint64_t inside_magic_join(combgpu_context *ctx, uint32_t first, uint32_t stride, uint64_t *hash)
{
    combgpu__five_joiner *joiner = (combgpu__five_joiner *)malloc(sizeof *joiner);
    uint32_t *tables =
        (uint32_t *)calloc(COMBGPU__JOIN_AT_PAIR + 2 * (COMBGPU__MAGIC_PAIRS + 1), sizeof *tables);
    uint32_t pairs = combgpu__five_pairs(1, 13, tables + COMBGPU__JOIN_AT_PAIR), pair, way;
    uint64_t squares = 0;
    combgpu__worker worker;
    memset(&worker, 0, sizeof worker);
    worker.simd = ctx->simd;
    worker.tables = tables;
    combgpu__five_ranks(tables + COMBGPU__JOIN_AT_RANK);
    combgpu__magic_ways(tables + COMBGPU__JOIN_AT_WAY);
    combgpu__five_joiner_start(joiner, &worker);
    for (pair = first; pair < pairs; pair += stride)
        for (way = 0; way < 36; way++) {
            uint32_t found = combgpu__five_joined(joiner, &worker, 36 * pair + way);
            *hash = combgpu__mix(*hash + found);
            squares += found;
        }
    free(joiner);
    free(tables);
    return squares;
}

uint32_t inside_magic_configuration(uint32_t number, int *givens, uint32_t *pairs)
{
    static const unsigned char none[8] = {0};
    combgpu__five_join *join = (combgpu__five_join *)malloc(sizeof *join);
    uint32_t *tables =
        (uint32_t *)calloc(COMBGPU__JOIN_AT_PAIR + 2 * (COMBGPU__MAGIC_PAIRS + 1), sizeof *tables);
    uint32_t found;
    *pairs = combgpu__five_pairs(1, 13, tables + COMBGPU__JOIN_AT_PAIR);
    combgpu__five_ranks(tables + COMBGPU__JOIN_AT_RANK);
    combgpu__magic_ways(tables + COMBGPU__JOIN_AT_WAY);
    combgpu__five_join_start(join, tables);
    found = combgpu__five_configuration(join, tables, number);
    combgpu__five_square(tables + COMBGPU__JOIN_AT_PAIR + 2 * (number / 36),
                         tables[COMBGPU__JOIN_AT_WAY + number % 36], none, none, givens);
    free(join);
    free(tables);
    return found;
}

typedef char
    inside_magic_six_series_are_all[INSIDE_MAGIC_SIX_SERIES == COMBGPU__MAGIC_SIX_SERIES ? 1 : -1];

void inside_magic_six_series(uint64_t *series)
{
    combgpu__magic_series(6, 1, 36, 111, 0, series);
}

void inside_magic_six_place(uint64_t a, uint64_t b, uint32_t p, int *square)
{
    uint32_t words[3];
    int i;
    combgpu__six_place_series(a, b, p, words);
    for (i = 0; i < 12; i++)
        square[combgpu__magic_diagonal_cells[i]] = combgpu__six_diagonal_of(words, i);
}

typedef char inside_magic_pairs_are_all[INSIDE_MAGIC_PAIRS == COMBGPU__MAGIC_PAIRS ? 1 : -1];

combgpu_status inside_magic_list_counts(combgpu_context *ctx, int centre, uint32_t begin,
                                        uint32_t end, uint32_t *counts)
{
    int givens[25] = {0};
    combgpu_magic_list_desc desc;
    combgpu_magic_list_result result;
    combgpu_magic_desc magic;
    combgpu__magic_output o;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    memset(&magic, 0, sizeof magic);
    memset(&o, 0, sizeof o);
    givens[12] = centre;
    desc.order = magic.order = 5;
    desc.givens = magic.givens = givens;
    o.ctx = ctx;
    o.desc = &desc;
    o.result = &result;
    o.began = combgpu__now();
    combgpu__magic_validate(ctx, &magic, &o.state);
    o.state.goal = COMBGPU__MAGIC_COUNTS;
    o.state.index = counts;
    o.state.range.begin = begin;
    o.state.range.end = end;
    return combgpu__magic_list_run(&o);
}

const uint32_t *inside_magic_list_index(const combgpu_context *ctx)
{
    return (const uint32_t *)combgpu__kept(ctx, COMBGPU__MAGIC_LIST_TAG, 1);
}

combgpu_status inside_magic_list_keep(combgpu_context *ctx, const uint32_t *index)
{
    size_t bytes = COMBGPU__MAGIC_PAIRS * sizeof *index;
    uint32_t *copy;
    combgpu__keep(ctx, COMBGPU__MAGIC_LIST_TAG, 0, NULL);
    copy = (uint32_t *)combgpu__allocate(ctx, bytes);
    if (!copy) return combgpu__fail(ctx, COMBGPU_OUT_OF_MEMORY, "no index");
    memcpy(copy, index, bytes);
    combgpu__keep(ctx, COMBGPU__MAGIC_LIST_TAG, 1, copy);
    return COMBGPU_OK;
}

uint32_t inside_magic_pair_of(const uint32_t *offsets, uint32_t pairs, uint64_t square)
{
    return combgpu__magic_pair_of(offsets, pairs, square);
}

int inside_magic_is_m_least(int order, const int *square)
{
    return combgpu__magic_is_m_least(order, square);
}

uint64_t inside_magic_rest(int order, uint64_t numbers, const int *need)
{
    static combgpu__magic_estimate_rest_cells rest;
    combgpu__magic_estimate_numbers left;
    memset(&left, 0, sizeof left);
    left.lo = numbers;
    return combgpu__magic_estimate_rest_ways(&rest, order, left, need);
}

uint32_t inside_magic_orthogonal(const uint32_t *rows)
{
    return combgpu__five_orthogonal(rows);
}
#endif

#ifdef COMBGPU__HAS_NO3
combgpu_status inside_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc, int words,
                                combgpu_job **job)
{
    return combgpu__no3_begin(ctx, desc, words, job);
}
#endif

#ifdef COMBGPU__HAS_TSP
void inside_tsp_on_device(combgpu_job *job)
{
    combgpu__branch_state *state = (combgpu__branch_state *)job->state;
    combgpu__branch_end_cut(job);
    state->host_trees = 0;
    job->budget = 16;
}
#endif

#ifdef COMBGPU__HAS_PERM
void inside_philox(uint64_t key, const uint32_t *counter, uint32_t *words)
{
    combgpu__perm_philox(key, counter, words);
}

uint32_t inside_multi_orders(int places, uint32_t shape)
{
    static combgpu__perm_set set;
    uint8_t letters[COMBGPU__MULTI_TAIL];
    set.n = COMBGPU__MULTI_TAIL;
    memset(set.repeats, COMBGPU__MULTI_TAIL, sizeof set.repeats);
    return combgpu__perm_multi_shape(&set, places, shape, letters);
}
#endif

double inside_fraction(combgpu_job *job, const double *steps, int count, int times)
{
    combgpu_progress progress;
    combgpu__release(job->ctx, job->outlook.sizes);
    memset(&job->outlook, 0, sizeof job->outlook);
    while (times--)
        combgpu__outlook_add(job, steps, count);
    combgpu__progress_known(job, &progress);
    return progress.fraction;
}

void inside_pretend_gpu(combgpu_context *ctx, int units)
{
    ctx->device.is_gpu = 1;
    ctx->device.compute_units = units;
}

#ifdef COMBGPU_OPENCL
void *inside_cl_device(void)
{
    cl_device_id devices[COMBGPU__CL_DEVICES];
    return combgpu__cl_list(devices) ? devices[0] : NULL;
}

void inside_limit_device(combgpu_context *ctx, size_t lanes, size_t local, int doubles)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    if (ctx->backend->id != COMBGPU_BACKEND_OPENCL) return;
    ctx->doubles = ctx->doubles && doubles;
    if (lanes < cl->most_lanes) cl->most_lanes = lanes;
    if (local < cl->most_local) cl->most_local = local;
}

int inside_pack(combgpu_context *ctx, size_t lanes)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    if (ctx->backend->id != COMBGPU_BACKEND_OPENCL || ctx->shuffles) return 0;
    combgpu__cl_pack(ctx);
    cl->subgroups &= (uint32_t)lanes;
    return cl->pack != NULL;
}

int inside_packed(const combgpu_job *job)
{
    return job->executors->backend->id == COMBGPU_BACKEND_OPENCL &&
           ((const combgpu__cl_kernel *)job->executors->program)->packed;
}
#endif
