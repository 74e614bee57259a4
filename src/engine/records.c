/* ---- Pending records. */

COMBGPU__PRIVATE size_t combgpu__records_waiting(const combgpu_job *job)
{
    return job->pending.count - job->pending.next;
}

COMBGPU__PRIVATE combgpu_status combgpu__pending_room(combgpu_job *job, size_t more)
{
    size_t waiting = job->pending.count - job->pending.next, bytes;
    size_t words = job->desc.record_words;
    uint32_t *grown;
    if (job->pending.next && waiting) /* often 0 */
        memmove(job->pending.records, job->pending.records + job->pending.next * words,
                waiting * words * sizeof(uint32_t));
    job->pending.next = 0;
    job->pending.count = waiting;
    if (waiting + more <= job->pending.capacity) return COMBGPU_OK;
    bytes = combgpu__bytes(waiting + more, words * sizeof(uint32_t));
    grown = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!grown) return combgpu__no_memory(job->ctx, bytes);
    if (waiting) memcpy(grown, job->pending.records, waiting * words * sizeof(uint32_t));
    combgpu__release(job->ctx, job->pending.records);
    job->pending.records = grown;
    job->pending.capacity = waiting + more;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE uint32_t *combgpu__pending(const combgpu_job *job, size_t *count)
{
    *count = job->pending.count - job->pending.next;
    return job->pending.records + job->pending.next * job->desc.record_words;
}

COMBGPU__PRIVATE void combgpu__pending_add(combgpu_job *job, const uint32_t *record)
{
    memcpy(job->pending.records + job->pending.count++ * job->desc.record_words, record,
           job->desc.record_words * sizeof *record);
}

COMBGPU__PRIVATE void combgpu__pending_clear(combgpu_job *job)
{
    job->pending.next = job->pending.count = 0;
}

COMBGPU__PRIVATE void combgpu__deliver_again(combgpu_job *job)
{
    job->pending.next--;
}

COMBGPU__PRIVATE int combgpu__is_enough(combgpu_job *job, uint64_t limit, uint64_t done)
{
    if (!limit) return 0;
    if (!job->enough) job->enough = ((done - 1) / limit + 1) * limit;
    return done == job->enough;
}

/* ---- For searches without records. */

COMBGPU__PRIVATE combgpu__result combgpu__no_record(combgpu_job *job, const uint32_t *record)
{
    return combgpu__as_result(combgpu__fail(
        job->ctx, COMBGPU_WRONG_RESULT, "\"%s\" has no records, but its %s emitted one: %u",
        job->desc.name, job->desc.kernel.name ? job->desc.kernel.name : "solver", record[0]));
}

COMBGPU__PRIVATE int combgpu__validate_no_record(combgpu_job *job, const uint32_t *record)
{
    (void)job, (void)record;
    return 0;
}

COMBGPU__PRIVATE void combgpu__without_records(combgpu__job_desc *desc)
{
    desc->record = combgpu__no_record;
    desc->validate_record = combgpu__validate_no_record;
    if (!desc->record_words) desc->record_words = 1;
}
