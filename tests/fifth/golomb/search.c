/* Golomb rulers: tasks, description, and the tables of the entry point. */

COMBGPU__PRIVATE combgpu_golomb_desc *combgpu__golomb_of(const combgpu_job *job)
{
    return (combgpu_golomb_desc *)combgpu__state(job);
}

/* A task for each place of the second mark. */
COMBGPU__PRIVATE combgpu_status combgpu__golomb_frontier(combgpu_job *job)
{
    const int length = combgpu__golomb_of(job)->length;
    uint32_t task[COMBGPU__GOLOMB_TASK_WORDS], at;
    combgpu_status status = COMBGPU_OK;
    for (at = 1; at < (uint32_t)length && !status; at++) {
        combgpu__golomb_ruler ruler;
        combgpu__golomb_write(at + 1, UINT64_C(1) << length | UINT64_C(1) << at | 1, task);
        if (combgpu__golomb_read(task, length, &ruler)) status = combgpu__push(job, task);
    }
    return status;
}

COMBGPU__PRIVATE int combgpu__golomb_validate_task(combgpu_job *job, uint32_t *task)
{
    const combgpu_golomb_desc *desc = combgpu__golomb_of(job);
    combgpu__golomb_ruler ruler;
    return combgpu__golomb_read(task, desc->length, &ruler) && ruler.count < desc->marks;
}

/* Rulers so far. */
COMBGPU__PRIVATE uint64_t combgpu__golomb_found(const combgpu_job *job)
{
    return combgpu__accumulators(job)[1];
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__golomb_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "golomb";
    search.frontier = combgpu__golomb_frontier;
    search.validate_task = combgpu__golomb_validate_task;
    search.solutions = combgpu__golomb_found;
    search.task_words = COMBGPU__GOLOMB_TASK_WORDS;
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 1;
    search.kernel.left_per_worker = COMBGPU__GOLOMB_MOST;
    return search;
}

COMBGPU__PRIVATE combgpu_status combgpu__golomb_check(combgpu_context *ctx, const void *from,
                                                      void *draft)
{
    const combgpu_golomb_desc *desc = (const combgpu_golomb_desc *)from;
    if (desc->marks < 4 || desc->marks > COMBGPU__GOLOMB_MOST)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.marks is %d; it may be 4 to %d",
                             desc->marks, COMBGPU__GOLOMB_MOST);
    if (desc->length < 1 || desc->length > 63)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.length is %d; it may be 1 to 63",
                             desc->length);
    *(combgpu_golomb_desc *)draft = *desc;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__golomb_setup(combgpu_job *job, const void *draft)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu_golomb_desc *desc = combgpu__golomb_of(job);
    *desc = *(const combgpu_golomb_desc *)draft;
    snprintf(search->parameters, sizeof search->parameters, "marks %d length %d", desc->marks,
             desc->length);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__golomb_answer(combgpu_job *job, void *result,
                                                       uint64_t *checksum)
{
    ((combgpu_golomb_result *)result)->count = combgpu__golomb_found(job);
    *checksum = combgpu__accumulators(job)[2];
    return COMBGPU_OK;
}

static const combgpu__method combgpu__golomb_methods[] = {
    {NULL, combgpu__golomb_describe, sizeof(combgpu_golomb_desc), combgpu__golomb_setup,
     combgpu__golomb_solve, NULL, combgpu__golomb_answer}};
static const combgpu__search combgpu__golomb_calls = {
    COMBGPU__SEARCH_OF(golomb), sizeof(combgpu_golomb_desc), combgpu__golomb_check, NULL, NULL,
    combgpu__golomb_methods};
COMBGPU__SEARCH_CALLS(golomb, combgpu__golomb_calls)

COMBGPU__PRIVATE combgpu_status combgpu__golomb_self_test(combgpu_context *ctx)
{
    combgpu_golomb_desc desc;
    combgpu_golomb_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    desc.marks = 6;
    desc.length = 17;
    status = combgpu_golomb(ctx, &desc, &result);
    if (status || result.count == 4) return status;
    return combgpu__fail(ctx, COMBGPU_WRONG_RESULT, "golomb: %llu rulers of 6 marks and not 4",
                         (unsigned long long)result.count);
}
