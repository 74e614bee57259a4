/* ---- rounds: every device that has tasks works; one that ends a slice gets the next one */

/* The device has too little memory for a launch: half as many workers, and a smaller pool. */
COMBGPU__PRIVATE combgpu_status combgpu__share_shrink(combgpu_job *job, combgpu__share *share)
{
    combgpu_status status = combgpu__spill(job, share, share->pool_count);
    if (status || share->workers == 1 || job->caller_work.handle)
        return status ? status : COMBGPU_DEVICE_OUT_OF_MEMORY;
    combgpu__share_release(share);
    share->workers = (share->workers + 1) / 2;
    combgpu__log(job->ctx, COMBGPU_LOG_WARNING, "%s: out of memory: going on with %u workers",
                 combgpu__share_name(share).text, share->workers);
    share->ctx->message[0] = 0;
    return combgpu__share_allocate(job, share);
}

/* Starts a slice on every idle device that has tasks, the CPU last: it works in here. RUNNING: a
   device has verified tasks instead, and is idle. */
COMBGPU__PRIVATE combgpu_status combgpu__start_idle(combgpu_job *job, int may_verify)
{
    int cpu, i;
    for (cpu = 0; cpu < 2; cpu++)
        for (i = 0; i < job->share_count; i++) {
            combgpu__share *share = &job->shares[i];
            uint32_t budget = i ? share->budget : job->budget;
            combgpu_status status;
            if (share->lost || share->running || cpu != (share->backend->id == COMBGPU_BACKEND_CPU))
                continue;
            status = combgpu__feed(job, share);
            if (!status && may_verify && share->pool_count && combgpu__verify_due(job)) {
                status = combgpu__verify(job, share);
                if (!status) return COMBGPU_RUNNING;
                return status < 0 ? combgpu__share_failed(job, job->verifying, status) : status;
            }
            if (combgpu__starving(job, share)) budget = budget / 4 + 1; /* it will want some soon */
            if (!status && share->pool_count) status = combgpu__slice_start(job, share, budget);
            while (status == COMBGPU_DEVICE_OUT_OF_MEMORY) {
                status = combgpu__share_shrink(job, share);
                if (status) break;
                status = combgpu__feed(job, share);
                if (!status && share->pool_count) status = combgpu__slice_start(job, share, budget);
            }
            if (status) return combgpu__share_failed(job, share, status);
        }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__look(const combgpu__worker *worker)
{
    combgpu_job *job = worker->job;
    double now = combgpu__now();
    int i;
    if (now < worker->looks->next) return;
    worker->looks->next = now + 2e-4;
    for (i = 0; i < job->share_count; i++)
        if (job->shares[i].running && job->shares[i].backend->id != COMBGPU_BACKEND_CPU &&
            combgpu__slice_poll(job, &job->shares[i]) != COMBGPU_RUNNING) {
#ifdef _OPENMP
#pragma omp atomic
#endif
            worker->slice->stop |= COMBGPU__STOP_OTHER;
        }
}

/* Starts what is idle, then waits until a slice ends and collects it. */
COMBGPU__PRIVATE combgpu_status combgpu__round(combgpu_job *job)
{
    double since = combgpu__now();
    int running = 1, ended = 0, i;
    combgpu_status status = job->broken ? job->broken : combgpu__start_idle(job, 1);
    if (status == COMBGPU_RUNNING) return COMBGPU_OK;
    if (status) return status;
    if (!combgpu__shares_alive(job)) return COMBGPU_DEVICE_ERROR;
    for (; running && !ended; combgpu__nap(since)) {
        running = 0;
        for (i = 0; i < job->share_count; i++) {
            combgpu__share *share = &job->shares[i];
            if (!share->running) continue;
            running = 1;
            if (combgpu__slice_poll(job, share) == COMBGPU_RUNNING) continue;
            ended = 1;
            status = combgpu__share_done(job, share);
            if (status > 0) return status; /* slice_done says it is enough */
            if (!status) status = combgpu__balance(job, share);
            if (status) return combgpu__share_failed(job, share, status);
        }
        if (ended) break;
    }
    return COMBGPU_OK;
}

/* Hands waiting records to the problem until it wants no more. */
COMBGPU__PRIVATE combgpu_status combgpu__deliver(combgpu_job *job)
{
    combgpu_status status = COMBGPU_RUNNING;
    while (status == COMBGPU_RUNNING && job->pending_next < job->pending_count) {
        const uint32_t *record = job->pending + job->pending_next++ * job->record_words;
        status = job->problem->record(job, record);
    }
    if (status != COMBGPU__LATER) return status;
    job->pending_next--;
    return COMBGPU_RUNNING;
}

