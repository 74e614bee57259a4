/* ---- Rounds: every device with tasks works; one that ends a slice gets the next. */

/* Halves an executor's workers and shrinks its pool, after a launch ran out of device memory. */
COMBGPU__PRIVATE combgpu_status combgpu__executor_shrink(combgpu_job *job,
                                                         combgpu__executor *executor)
{
    combgpu_status status = combgpu__spill(job, executor, executor->pool_count);
    if (status || executor->workers == 1 || job->desc.caller_work.handle)
        return status ? status : COMBGPU_DEVICE_OUT_OF_MEMORY;
    combgpu__executor_release(executor);
    executor->workers = (executor->workers + 1) / 2;
    combgpu__log(job->ctx, COMBGPU_LOG_WARNING, "%s: out of memory: continuing with %u workers",
                 combgpu__executor_name(executor).text, executor->workers);
    executor->ctx->message[0] = 0;
    return combgpu__executor_allocate(job, executor);
}

/* Starts a slice on every idle device with tasks; the CPU last, since its slice runs here. With
   `verified`, a device may verify tasks instead: *verified is then set and the device stays
   idle. */
COMBGPU__PRIVATE combgpu_status combgpu__start_idle(combgpu_job *job, int *verified)
{
    int cpu, i;
    for (cpu = 0; cpu < 2; cpu++)
        for (i = 0; i < job->executor_count; i++) {
            combgpu__executor *executor = &job->executors[i];
            uint32_t budget = i ? executor->budget : job->budget;
            combgpu_status status;
            if (executor->lost || executor->running ||
                cpu != (executor->backend->id == COMBGPU_BACKEND_CPU))
                continue;
            status = combgpu__refill(job, executor);
            if (!status && verified && executor->pool_count && combgpu__verify_due(job)) {
                status = combgpu__verify(job, executor);
                *verified = !status;
                return status < 0 ? combgpu__executor_failed(job, job->verify.executor, status)
                                  : status;
            }
            if (combgpu__starving(job, executor))
                budget = budget / 4 + 1; /* the other will need tasks soon */
            if (!status && executor->pool_count)
                status = combgpu__slice_start(job, executor, budget);
            while (status == COMBGPU_DEVICE_OUT_OF_MEMORY) {
                status = combgpu__executor_shrink(job, executor);
                if (status) break;
                status = combgpu__refill(job, executor);
                if (!status && executor->pool_count)
                    status = combgpu__slice_start(job, executor, budget);
            }
            if (status) return combgpu__executor_failed(job, executor, status);
        }
    return COMBGPU_OK;
}

/* Starts idle devices, then waits until a slice ends and collects it. */
COMBGPU__PRIVATE combgpu_status combgpu__round(combgpu_job *job)
{
    double since = combgpu__now();
    int running = 1, ended = 0, verified = 0, i;
    combgpu_status status = job->broken ? job->broken : combgpu__start_idle(job, &verified);
    if (status || verified) return status;
    if (!combgpu__executors_alive(job)) return COMBGPU_DEVICE_ERROR;
    for (; running && !ended; combgpu__nap(since)) {
        running = 0;
        for (i = 0; i < job->executor_count; i++) {
            combgpu__executor *executor = &job->executors[i];
            if (!executor->running) continue;
            running = 1;
            if (combgpu__slice_poll(job, executor) == COMBGPU__WORKING) continue;
            ended = 1;
            status = combgpu__executor_done(job, executor);
            if (status > 0) return status; /* slice_done reached the limit */
            if (!status) status = combgpu__balance(job, executor);
            if (status) return combgpu__executor_failed(job, executor, status);
        }
        if (ended) break;
    }
    return COMBGPU_OK;
}

/* Nonzero if the time limit has passed. */
COMBGPU__PRIVATE int combgpu__time_is_up(const combgpu_job *job, double now)
{
    return job->run.time_limit_s > 0 && now - job->clock.started >= job->run.time_limit_s;
}

/* Delivers pending records until the problem ends the run or asks for a slice first. Callbacks that
   print can take seconds per slice: past the time limit, records undelivered after a tenth of a
   second wait for the next step or the checkpoint. */
COMBGPU__PRIVATE combgpu_status combgpu__deliver(combgpu_job *job)
{
    combgpu__result result = COMBGPU__CONTINUE;
    double since = combgpu__now();
    while (result == COMBGPU__CONTINUE && job->pending.next < job->pending.count) {
        const uint32_t *record =
            job->pending.records + job->pending.next++ * job->desc.record_words;
        result = job->desc.record(job, record);
        if (result == COMBGPU__CONTINUE && job->pending.next < job->pending.count &&
            combgpu__time_is_up(job, combgpu__now()) && combgpu__since(since) > 0.1)
            result = COMBGPU__STOP;
    }
    if (result == COMBGPU__LATER) job->pending.next--;
    return combgpu__as_status(result);
}
