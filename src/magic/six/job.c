/* Order 6 in parts: the job for a range of configurations. A step is a part of a configuration; its
   result does not depend on who made the tables. */

/* Sums of the host's steps. */
enum { COMBGPU__PARTS_SPARE_HASH = COMBGPU__TOTALS, COMBGPU__PARTS_SPARE_SQUARES };

typedef struct combgpu__six_diagonals_state {
    combgpu__magic_range range;
    combgpu_magic_diagonals_desc desc;
    combgpu__six_work *spare; /* for steps too large for a device; NULL before the first */
} combgpu__six_diagonals_state;

/* Returns the squares of a step. Uses the worker's tables again if they belong to this
   configuration and job. */
COMBGPU__PRIVATE uint64_t combgpu__six_step(combgpu__six_work *work, const uint32_t *tables,
                                            uint64_t step)
{
    const uint64_t configuration = step / COMBGPU__SIX_PARTS;
    const uint64_t tag = combgpu__mix(tables[COMBGPU__PARTS_AT_NONCE] + (configuration << 32));
    if (work->made[0] != configuration + 1 || work->made[1] != tag) {
        combgpu__six_tables(work, tables + COMBGPU__PARTS_AT_CONFIGURATION + 3 * configuration);
        work->made[0] = configuration + 1;
        work->made[1] = tag;
    }
    return combgpu__six_count(work, (uint32_t)(step % COMBGPU__SIX_PARTS));
}

/* Returns what a step adds to the hash. */
COMBGPU__PRIVATE uint64_t combgpu__six_hash(const uint32_t *tables, uint64_t step, uint64_t squares)
{
    const uint64_t base = combgpu__get64(tables) * COMBGPU__SIX_PARTS;
    return combgpu__mix(combgpu__mix(base + step) ^ squares);
}

COMBGPU__PRIVATE int combgpu__six_diagonals_step(combgpu__worker *worker, void *memory,
                                                 uint64_t step)
{
    const uint64_t squares = combgpu__six_step((combgpu__six_work *)memory, worker->tables, step);
    worker->totals[COMBGPU__PARTS_SQUARES] += squares;
    worker->totals[COMBGPU__PARTS_HASH] += combgpu__six_hash(worker->tables, step, squares);
    return 1;
}

COMBGPU__PRIVATE void combgpu__six_diagonals_solve(combgpu__worker *worker)
{
    combgpu__magic_range_solve(worker, combgpu__magic_work(worker, sizeof(combgpu__six_work)),
                               combgpu__six_diagonals_step);
}

/* Does a step that was too large for a device. */
COMBGPU__PRIVATE combgpu__result combgpu__six_diagonals_record(combgpu_job *job,
                                                               const uint32_t *record)
{
    combgpu__six_diagonals_state *state = (combgpu__six_diagonals_state *)combgpu__state(job);
    const uint64_t step = combgpu__get64(record);
    uint64_t squares;
    if (!state->spare) {
        state->spare = (combgpu__six_work *)combgpu__allocate(combgpu__context(job),
                                                              sizeof(combgpu__six_work));
        if (!state->spare)
            return combgpu__as_result(
                combgpu__no_memory(combgpu__context(job), sizeof(combgpu__six_work)));
        state->spare->made[0] = 0;
    }
    squares = combgpu__six_step(state->spare, combgpu__tables(job), step);
    combgpu__accumulators(job)[COMBGPU__PARTS_SPARE_SQUARES] += squares;
    combgpu__accumulators(job)[COMBGPU__PARTS_SPARE_HASH] +=
        combgpu__six_hash(combgpu__tables(job), step, squares);
    return COMBGPU__CONTINUE;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE int combgpu__six_diagonals_validate_record(combgpu_job *job,
                                                            const uint32_t *record)
{
    return combgpu__get64(record) < ((const combgpu__magic_range *)combgpu__state(job))->end;
}

COMBGPU__PRIVATE void combgpu__six_diagonals_release(combgpu_job *job)
{
    combgpu__six_diagonals_state *state = (combgpu__six_diagonals_state *)combgpu__state(job);
    combgpu__release(combgpu__context(job), state->spare);
}

COMBGPU__PRIVATE double combgpu__six_diagonals_fraction(const combgpu_job *job)
{
    double all = (double)((const combgpu__magic_range *)combgpu__state(job))->end;
    return (double)combgpu__accumulators(job)[0] / all * (combgpu__shards(job));
}

COMBGPU__PRIVATE uint64_t combgpu__six_diagonals_solutions(const combgpu_job *job)
{
    return combgpu__accumulators(job)[COMBGPU__PARTS_SQUARES] +
           combgpu__accumulators(job)[COMBGPU__PARTS_SPARE_SQUARES];
}

/* The tasks of a configuration. */
COMBGPU__PRIVATE uint64_t combgpu__six_chunks(uint64_t configurations)
{
    uint64_t chunks = COMBGPU__SIX_PARTS;
    while (chunks > 1 && configurations * chunks > 256)
        chunks /= 2;
    return chunks;
}

/* Blocks that share a step, at most, so that all work on few configurations at a time. */
#ifndef COMBGPU__SIX_SHARES
#define COMBGPU__SIX_SHARES 4
#endif

/* Returns how many areas the blocks of a device share; *own is nonzero if each has its own, because
   some device needs that. */
COMBGPU__PRIVATE uint32_t combgpu__six_areas(const combgpu_context *ctx, uint64_t configurations,
                                             int *own)
{
    const uint64_t bytes = COMBGPU__SIX_WORDS * sizeof(uint32_t);
    const combgpu_context *device;
    uint64_t areas = COMBGPU__SIX_MOST_AREAS, limit;
    int i;
    if (areas > configurations) areas = configurations;
    for (i = 0; (device = combgpu__device_context(ctx, i)) != NULL; i++) {
        if (combgpu__is_cpu(device)) continue;
        *own |= !combgpu__shuffles(device);
        limit = combgpu__memory_limit(device) / 2;
        if (limit && areas * bytes > limit) areas = limit / bytes;
    }
#ifdef COMBGPU_TEST_SIX_AREAS /* for a device whose blocks share all the same */
    *own = 0;
    areas = COMBGPU_TEST_SIX_AREAS;
#endif
    return areas ? (uint32_t)areas : 1;
}

COMBGPU__PRIVATE combgpu_status combgpu__six_begin_diagonals(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__six_diagonals_state *state = (combgpu__six_diagonals_state *)combgpu__state(job);
    const combgpu_magic_diagonals_desc *desc = &state->desc;
    uint32_t areas;
    int own = 0;
    combgpu_status status;
    state->desc = *(const combgpu_magic_diagonals_desc *)draft;
    status = combgpu__job_tables(job, COMBGPU__PARTS_AT_CONFIGURATION + 3 * (size_t)desc->count);
    snprintf(search->parameters, sizeof search->parameters, "order 6 first %llu count %llu join",
             (unsigned long long)desc->first, (unsigned long long)desc->count);
    if (status) return status;
    state->range.end = desc->count * COMBGPU__SIX_PARTS;
    /* few configurations: several workers share each; many: one worker each, which makes tables
       once */
    state->range.chunks = desc->count * combgpu__six_chunks(desc->count);
    combgpu__put64(combgpu__tables(job), desc->first);
    areas = combgpu__six_areas(combgpu__context(job), desc->count, &own);
    if (own) areas = 1; /* fits in what each block has */
    combgpu__tables(job)[COMBGPU__PARTS_AT_AREAS] = areas;
    combgpu__tables(job)[COMBGPU__PARTS_AT_CHUNKS] =
        (uint32_t)(COMBGPU__SIX_PARTS / combgpu__six_chunks(desc->count));
    combgpu__tables(job)[COMBGPU__PARTS_AT_SHARES] = own ? 1 : COMBGPU__SIX_SHARES;
    search->work_bytes_per_worker =
        ((size_t)COMBGPU__SIX_ROOM + (own ? (size_t)COMBGPU__SIX_WORDS : 0)) * sizeof(uint32_t);
    search->work_bytes_on_device =
        (COMBGPU__SIX_CONTROL + (own ? 0 : (size_t)areas * COMBGPU__SIX_WORDS)) * sizeof(uint32_t);
    combgpu__tables(job)[COMBGPU__PARTS_AT_NONCE] =
        (uint32_t)combgpu__mix((uint64_t)(uintptr_t)job ^ (uint64_t)(combgpu__now() * 1e9));
    return combgpu__six_configurations(combgpu__context(job), desc->first, desc->count,
                                       combgpu__tables(job) + COMBGPU__PARTS_AT_CONFIGURATION);
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__six_describe_diagonals(void)
{
    combgpu__job_desc search = combgpu__magic_ranges("diagonals of magic squares");
    search.fraction = combgpu__six_diagonals_fraction;
    search.solutions = combgpu__six_diagonals_solutions;
    search.record = combgpu__six_diagonals_record;
    search.validate_record = combgpu__six_diagonals_validate_record;
    search.release = combgpu__six_diagonals_release;
    search.kernel.name = "combgpu_magic_six";
    search.kernel.lanes_per_worker = COMBGPU__SIX_LANES;
    search.kernel.lanes_per_block = COMBGPU__SIX_LANES;
    search.kernel.first_budget = 1;
    search.left_on_device = 2; /* its own step; the last block also spills the rest of a task */
    search.cpu_work_bytes_per_worker = sizeof(combgpu__six_work);
    search.record_words = 2;
    search.record_capacity = 64;
    search.records_repeat = 1;
    return search;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_diagonals_check(combgpu_context *ctx,
                                                               const void *from, void *draft)
{
    const combgpu_magic_diagonals_desc *desc = (const combgpu_magic_diagonals_desc *)from;
    if (desc->count < 1 || desc->count > COMBGPU__MAGIC_MOST_CONFIGURATIONS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.count is %llu; it may be 1 to %u",
                             (unsigned long long)desc->count, COMBGPU__MAGIC_MOST_CONFIGURATIONS);
    if (desc->first > COMBGPU_MAGIC_CONFIGURATIONS - desc->count)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.first is %llu; with desc.count %llu it may be 0 to %llu",
                             (unsigned long long)desc->first, (unsigned long long)desc->count,
                             (unsigned long long)(COMBGPU_MAGIC_CONFIGURATIONS - desc->count));
    *(combgpu_magic_diagonals_desc *)draft = *desc;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_diagonals_end(combgpu_job *job, void *to,
                                                             uint64_t *checksum)
{
    const uint64_t *accumulators = combgpu__accumulators(job);
    combgpu_magic_diagonals_result *r = (combgpu_magic_diagonals_result *)to;
    uint64_t high;
    r->squares = combgpu__six_diagonals_solutions(job);
    high = (r->squares >> 32) * 192;
    r->count.lo = r->squares * 192;
    r->count.hi = (high + ((r->squares & UINT32_MAX) * 192 >> 32)) >> 32;
    *checksum = accumulators[COMBGPU__PARTS_HASH] + accumulators[COMBGPU__PARTS_SPARE_HASH];
    return COMBGPU_OK;
}

static const combgpu__method combgpu__magic_diagonals_methods[] = {
    {NULL, combgpu__six_describe_diagonals, sizeof(combgpu__six_diagonals_state),
     combgpu__six_begin_diagonals, combgpu__six_diagonals_solve, NULL,
     combgpu__magic_diagonals_end}};
static const combgpu__search combgpu__magic_diagonals_calls = {COMBGPU__SEARCH_OF(magic_diagonals),
                                                               sizeof(combgpu_magic_diagonals_desc),
                                                               combgpu__magic_diagonals_check,
                                                               NULL,
                                                               NULL,
                                                               combgpu__magic_diagonals_methods};
COMBGPU__SEARCH_CALLS(magic_diagonals, combgpu__magic_diagonals_calls)
COMBGPU__COLD_END
